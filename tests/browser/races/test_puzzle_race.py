"""A puzzle race of two, from the room to the result."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import PHONE, Visit
from tests.browser.races.test_races import ROOM, press, shows
from tests.browser.table.test_puzzles import PuzzleMouse, PuzzleTouch, puzzle_with, wait_for_text

sync_api = pytest.importorskip("playwright.sync_api")


def first_puzzle(page: Any) -> Any:
    """Reload the race's page, and return the puzzle that it shows."""
    with page.expect_response("**/puzzles/current") as reply:
        page.reload()
    page.wait_for_selector("#felt .card")
    return puzzle_with(reply.value.json()["puzzle"]["step"])


def test_two_solve_the_same_puzzles_from_the_room_to_the_result(visit: Visit, site: Any) -> None:
    host = visit("/races/", width=1440, height=900)
    host.click("#new-room summary")
    host.select_option("#new-name", "puzzles")
    assert host.is_hidden("#new-limit")
    assert host.text_content("#room-summary") == "Puzzles, 8 seats"
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    sync_api.expect(host.locator("#room-facts")).to_have_text("3 minutes8 seats")
    friend = visit(host.url, fresh=True, **PHONE, has_touch=True)
    press(friend, "Join")
    press(host, "Start the race")
    for page in (host, friend):
        page.wait_for_url("**/1/puzzles/")
        page.wait_for_function("() => /^\\d+$/.test(document.querySelector('#starting-number').textContent)")
        assert page.locator("#felt .card").count() == 0
    for page in (host, friend):
        page.wait_for_selector("#felt .card")
        sync_api.expect(page.locator("#starting")).to_be_hidden()

    puzzle, same = first_puzzle(host), first_puzzle(friend)
    assert puzzle == same
    mouse, finger = PuzzleMouse(host), PuzzleTouch(friend)
    for left, n in zip(range(len(puzzle.turns), 0, -1), puzzle.turns, strict=True):
        wait_for_text(host, "#puzzle-say", "one move" if left == 1 else f"{left} moves")
        mouse.play(puzzle.line[n])
    finger.play(next(iter(puzzle.losses[0])))
    wait_for_text(friend, "#puzzle-say", "ten seconds less.")
    lanes = host.locator(".lanes-panel .lane")
    sync_api.expect(lanes.nth(0)).to_contain_text("one solved")
    sync_api.expect(lanes.nth(0)).to_contain_text("You")
    friend.locator("#strip").tap()
    sync_api.expect(friend.locator("#lanes-dialog .lane").nth(0)).to_contain_text("one solved")

    press(friend, "Close")
    press(friend, "Give up")
    friend.locator("#resign-dialog button.danger").tap()
    friend.wait_for_url(ROOM)
    shows(friend, "Your game is over")
    sync_api.expect(lanes.nth(1)).to_contain_text("gave up")

    site.control.ask("end_races")
    host.wait_for_url("**/1/")
    friend.click("text=Result and replays")
    sync_api.expect(host.locator("h1")).to_have_text("You came first")
    sync_api.expect(host.locator(".place.me")).to_contain_text("1 solved")
    assert friend.locator(".by-game a").count() == 1
    press(friend, "Rematch")
    friend.wait_for_url(ROOM)
