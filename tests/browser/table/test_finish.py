"""The end of a game in the browser: the celebration, which a key ends, and the end panel."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.browser.conftest import MOVING, PHONE, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import Mouse, deal, won_record


def test_a_key_ends_the_celebration_and_the_panel_reopens(visit: Visit) -> None:
    page = visit("/play/labyrinth/", **PHONE, **MOVING, fresh=True)
    deal(page)
    player, tokens = Mouse(page), won_record("labyrinth")["tokens"]
    player.start()
    player.play_elsewhere(tokens[:-1])
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    player.play(tokens[-1])
    player.wait_played(over=True)
    page.wait_for_selector(".celebration", state="attached")
    page.clock.run_for(400)
    assert page.locator(".celebration .card").count() > 3
    assert page.is_hidden("#finish")
    page.keyboard.press("x")
    page.clock.run_for(50)
    page.wait_for_selector("#finish[open]")
    page.clock.resume()
    assert page.locator(".celebration").count() == 0
    assert page.evaluate("document.activeElement.id") == "finish-title"
    page.wait_for_selector("#finish-actions #finish-next")
    # A game won this fast is under review, and counts as played for its player.
    page.wait_for_selector("#finish-after .today:has-text('1 of 9 played today')")
    assert faults(page, colours_only=False) == []
    page.click("#finish-close")
    page.click("#finish-open")
    assert page.is_visible("#finish-next")
    page.reload()  # a reloaded table shows the same
    page.wait_for_selector("#finish[open] #finish-next")
    assert page.text_content("#finish-title") == "You won!"
    assert page.locator(".celebration").count() == 0
