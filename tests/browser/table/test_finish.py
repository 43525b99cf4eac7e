"""The end of a game in the browser: the celebration, which a key ends, and the end panel."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.browser.conftest import MOVING, PHONE, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import give_up, practise, start_game, won_record


def test_a_key_ends_the_celebration_and_the_panel_reopens(visit: Visit) -> None:
    page = visit("/play/labyrinth/", **PHONE, **MOVING, fresh=True)
    player, tokens = start_game(page), won_record("labyrinth")["tokens"]
    player.play_away(tokens[:-1])
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    player.play(tokens[-1])
    player.wait_played(over=True)
    page.wait_for_selector(".celebration", state="attached")
    page.clock.run_for(1_000)
    assert page.locator(".celebration .card").count() == 40  # the labyrinth's five rows
    assert page.is_hidden("#finish")
    page.keyboard.press("x")
    page.clock.run_for(50)
    page.wait_for_selector("#finish[open]")
    page.clock.resume()
    assert page.locator(".celebration").count() == 0
    assert page.evaluate("document.activeElement.id") == "finish-title"
    page.wait_for_selector("#finish-main #finish-next + #finish-account")
    # A game won this fast is under review, and counts as played for its player.
    page.wait_for_selector("#finish-after .today:has-text('1 of 9 played today')")
    assert faults(page, colours_only=False) == []
    page.focus("#finish-more")
    page.keyboard.press("Enter")
    assert page.is_visible("#finish-menu #finish-new")
    page.keyboard.press("Enter")
    assert page.is_hidden("#finish-new")
    page.click("#finish-close")
    page.click("#finish-open")
    assert page.is_visible("#finish-account")
    page.reload()  # a reloaded table shows the same
    page.wait_for_selector("#finish[open] #finish-account")
    assert page.text_content("#finish-title") == "Your first Labyrinth win"
    assert page.locator(".celebration").count() == 0


def test_headline_and_main_button_need_no_scrolling(visit: Visit) -> None:
    page = visit("/play/labyrinth/")
    start_game(page)
    give_up(page)
    page.wait_for_selector("#finish[open] #finish-rank[data-state=verified]")  # the verdict brings the buttons again
    assert re.fullmatch(r"\d+ of 52 cards up", page.text_content("#finish-title"))
    assert "Play it relaxed" in page.text_content("#finish-main")
    for width, height in ((1440, 900), (390, 844), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        for selector in ("#finish-title", "#finish-relaxed", "#finish-more"):
            box = page.locator(selector).bounding_box()
            assert box["y"] >= 0, (width, selector)
            assert box["y"] + box["height"] <= height, (width, selector)
        tops = "all => all.map(one => one.getBoundingClientRect().top)"
        assert len(set(page.locator("#finish-actions > *").evaluate_all(tops))) == 1, width
    assert page.locator("#finish .button:visible:not(.secondary)").count() == 1


def test_a_lost_practice_game_leads_to_its_analysis(visit: Visit) -> None:
    page = visit()
    player = practise(page)
    player.play("d")
    player.wait_played()
    with page.expect_response(lambda response: response.url.endswith("/hint") and response.status == 200):
        page.click("#hint")
    give_up(page)
    page.wait_for_selector("#finish[open] #finish-how:has-text('with hints')")

    def answer(route: Any) -> None:
        """Answer for the server, which would search for minutes."""
        state = "none" if route.request.method == "GET" else "waiting"
        route.fulfill(json={"state": state, "percent": 0, "ahead": 0, "mine": True})

    page.route("**/analysis.json", answer)
    with page.expect_request(lambda request: "/analysis" in request.url and request.method == "POST"):
        page.click("#finish-lost")
