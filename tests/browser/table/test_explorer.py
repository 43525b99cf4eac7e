"""The explorer's panel in a replay: counts of each move, following moves off the game, with keys and on a phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import PHONE, Site, Visit
from tests.browser.pages.test_every_page import WIDE, faults


#: Adds two won games at the past deal, and three that draw at move `n` and give up; prints a won game's id and `n`.
@pytest.fixture
def won(site: Site) -> tuple[str, int]:
    public_id, n = site.control.ask("explored_game")
    return f"/replay/{public_id}/", n


def came(page: Any, games: int) -> None:
    page.wait_for_selector(f"#explorer-text:has-text('{games} of 5 games came this way; ')")


def test_moves_are_followed_off_the_game_and_back(visit: Visit, won: tuple[str, int]) -> None:
    replay, n = won
    page = visit(f"{replay}?n={n}", **WIDE)
    came(page, 5)
    moves = page.locator("#explorer-moves button")
    assert [" ".join(text.split()) for text in moves.locator(".explorer-figures").all_text_contents()] == [
        "3 of 5 · 0 won",
        "2 of 5 · 2 won",
    ]
    assert moves.first.locator(".explorer-name").text_content() == "deal a row"
    assert moves.nth(1).locator(".explorer-own").text_content() == "this game"
    assert "winnable" in moves.nth(1).text_content()
    moves.first.focus()
    page.keyboard.press("Enter")
    came(page, 3)
    page.wait_for_selector("#step-text:has-text('Beside this game')")
    assert page.text_content("#explorer-status") == page.text_content("#explorer-text")
    assert page.evaluate("document.activeElement.id") == "explorer-back"
    assert page.is_disabled("#play-on button")
    assert page.locator("#felt .card[data-pile^=t1]").count() > 0
    page.keyboard.press("Enter")
    came(page, 5)
    page.wait_for_selector("#explorer-aside", state="hidden")
    assert page.text_content("#step-text") != "Beside this game"
    assert page.is_enabled("#play-on button")
    moves.first.click()
    page.wait_for_selector("#step-text:has-text('Beside this game')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#explorer-aside", state="hidden")
    assert page.text_content("#moves").startswith(f"{n}/")
    page.keyboard.press("ArrowRight")
    came(page, 2)
    assert faults(page) == []


def test_the_panel_is_folded_on_a_phone_until_it_is_wanted(visit: Visit, won: tuple[str, int]) -> None:
    replay, n = won
    page = visit(f"{replay}?n={n}", **PHONE, color_scheme="dark", has_touch=True)
    page.wait_for_selector("#felt .card")
    assert page.is_hidden("#explorer-body")
    page.click("#explorer-toggle")
    came(page, 5)
    page.tap("#explorer-moves button")
    came(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert faults(page) == []
    page.click("#explorer-toggle")
    page.wait_for_selector("#explorer-body", state="hidden")
    page.wait_for_function("document.querySelector('#step-text').textContent !== 'Beside this game'")
    page.goto(f"{replay}?n={n}#explorer")
    page.reload()
    came(page, 5)
