"""Requests whose answer never comes, is lost, or is that of a busy server: a message, a way on, no double counts.

`Case` is one thing that a player asks for; add one for each new kind of request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.browser.conftest import Visit, sync_api
from tests.browser.table.test_puzzles import PuzzleMouse, begin_storm, puzzle_on, puzzle_with
from tests.browser.table_driver import practise
from tests.ordinary_life.page_clock import PageClock, ServerClock
from tests.ordinary_life.relay import Relay

NO_ANSWER = "No answer. Try again."


@dataclass(frozen=True)
class Case:
    """A request: its address, how to make it, where its failure is shown, and what its answer leads to."""

    address: str
    ask: Callable[[], None]
    message: str
    answered: str
    #: The reply instead of the server's, where only the page is tested here.
    reply: dict[str, Any] | None = None


def puzzle(page: Any) -> Case:
    page.goto("/puzzles/another/?variant=labyrinth")
    player, shown = PuzzleMouse(page), puzzle_on(page)
    ask = lambda: player.play(shown.line[shown.turns[0]])  # noqa: E731
    return Case("**/move", ask, "#puzzle-say", "#puzzle-say:is([data-state=right], [data-state=done])")


def storm(page: Any) -> Case:
    page.goto("/puzzles/storm/")
    shown, player = begin_storm(page), PuzzleMouse(page)
    ask = lambda: player.play(shown.line[shown.turns[0]])  # noqa: E731
    return Case("**/move", ask, "#puzzle-say", "#puzzle-say[data-state=right]")


def hint(page: Any) -> Case:
    practise(page)
    reply = {"state": "answered", "token": "d", "why": "way"}
    return Case("**/hint", lambda: page.click("#hint"), "#notice", "#notice:has-text('deal a row')", reply)


def can_win(page: Any) -> Case:
    practise(page)

    def ask() -> None:
        if page.is_visible("#hint-close"):
            page.click("#hint-close")
        page.click("[data-opens=more-dialog]")
        page.click("#can-win")

    reply = {"state": "answered", "n": 0, "answer": "no"}
    return Case("**/can-win", ask, "#hint-text", "#hint-dialog[data-state=no]", reply)


def vote(page: Any) -> Case:
    """The votes of players with an account, shown to a guest."""
    case = puzzle(page)
    over: dict[str, Any] = {
        "themes": [],
        "source": None,
        "play_on": None,
        "vote": {"address": "/puzzles/0/vote", "mine": ""},
        "turns": [],
    }
    page.route(case.address, lambda route: route.fulfill(json=route.fetch().json() | {"after": over}))
    case.ask()
    ask = lambda: page.click("text=Good puzzle")  # noqa: E731
    return Case("**/vote", ask, "#notice", ".votes [aria-pressed=true]:has-text('Good puzzle')", {"vote": "good"})


CASES = (puzzle, storm, hint, can_win, vote)


def wait_for(page: Any, selector: str, text: str) -> None:
    sync_api.expect(page.locator(selector)).to_contain_text(text)


@pytest.mark.parametrize("case_on", CASES)
def test_a_request_without_an_answer_may_be_repeated(
    visit: Visit, case_on: Callable[[Any], Case], complaints: list[str]
) -> None:
    """Without any answer, a message leads to a way on; a reply that is lost is asked for again."""
    page = visit(fresh=True)
    clock = PageClock(page)
    case, posts = case_on(page), []

    def swallow(route: Any) -> None:
        del route

    def lose(route: Any) -> None:
        if route.request.method == "POST":
            posts.append(route)
        if posts != [route]:
            route.fallback() if case.reply is None else route.fulfill(json=case.reply)
            return
        if case.reply is None:
            route.fetch()
        route.abort()

    page.route(case.address, swallow)
    with page.expect_request(case.address):
        case.ask()
    clock.advance(20)
    wait_for(page, case.message, NO_ANSWER)
    page.unroute(case.address, swallow)
    page.route(case.address, lose)
    case.ask()
    page.wait_for_selector(case.answered)
    assert len(posts) >= 2
    complaints.clear()


def test_a_wrong_move_whose_reply_is_lost_counts_once(visit: Visit, complaints: list[str]) -> None:
    """Every reply to it is lost, until the player makes the move again."""
    page = visit("/puzzles/another/", fresh=True)
    player, shown = PuzzleMouse(page), puzzle_on(page)
    wrong = next(iter(shown.losses[0]))

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/move", lose)
    player.play(wrong)
    wait_for(page, "#puzzle-say", NO_ANSWER)
    page.unroute("**/move")
    player.play(wrong)
    wait_for(page, "#puzzle-say", "That move loses.")
    assert page.text_content("#mistakes") == "1"
    player.play(wrong)
    wait_for(page, "#mistakes", "2")
    complaints.clear()


@pytest.mark.parametrize(("retry_after", "is_answered"), [("1", True), ("60", False)])
def test_a_busy_server_is_asked_again_when_it_says(
    visit: Visit, retry_after: str, is_answered: bool, complaints: list[str]
) -> None:
    page = visit(fresh=True)
    case = puzzle(page)
    page.route(case.address, lambda route: route.fulfill(status=503, headers={"Retry-After": retry_after}), times=1)
    case.ask()
    if is_answered:
        page.wait_for_selector(case.answered)
    else:
        wait_for(page, case.message, NO_ANSWER)
    complaints.clear()


def test_a_storm_ends_while_its_move_has_no_answer(visit: Visit, server_clock: ServerClock) -> None:
    page = visit(fresh=True)
    clock = PageClock(page, server_clock)
    page.goto("/puzzles/storm/")
    first, player = begin_storm(page), PuzzleMouse(page)
    with page.expect_response("**/move") as reply:
        player.play(next(iter(first.losses[0])))
    second = puzzle_with(reply.value.json()["next"]["step"])
    wait_for(page, "#puzzle-say", "to find.")
    clock.advance(167)
    page.route("**/move", lambda route: None)
    with page.expect_request("**/move"):
        player.play(second.line[second.turns[0]])
    clock.advance(6)
    page.wait_for_selector("text=Play again")


def test_a_command_in_a_room_that_is_lost_is_sent_again(visit: Visit, relay: Relay) -> None:
    page = visit("/races/", fresh=True)
    page.click("text=Open a room")
    wait_for(page, "#stage-text", "No one else is here yet")
    relay.swallow(down=False)
    page.click("#leave")
    relay.restore()
    relay.cut()
    wait_for(page, "#stage-text", "Join this race")
