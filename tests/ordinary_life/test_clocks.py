"""Times on pages whose machine slept, or whose system clock was set."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.browser.conftest import Site, Visit
from tests.browser.racing import race_soon
from tests.browser.table.test_puzzles import PuzzleMouse
from tests.browser.table.test_puzzles import begin_storm as begin
from tests.browser.table_driver import deal
from tests.ordinary_life import hidden_tab
from tests.ordinary_life.page_clock import PageClock, ServerClock

#: Seconds of a nap, and of a sleep that no connection survives.
SLEEPS = (20, 600)
#: Seconds by which a figure may be off: whole seconds, each shown up to a second late.
TOLERANCE = 2.5

#: Seconds that an element shows, and the seconds that have passed on the wall clock.
READ = """selector => [
  document.querySelector(selector).textContent.split(":").reduce((sum, part) => sum * 60 + Number(part), 0),
  Date.now() / 1000,
]"""


def asleep(page: Any, clock: PageClock, seconds: float, *figures: str) -> None:
    """Sleep, and check that figures that count up or, with a minus, down are right two seconds later."""
    for figure in figures:
        page.wait_for_function(f"selector => ({READ})(selector)[0] > 0", arg=figure.lstrip("-"))
    clock.advance(3)  # past the first pings
    before = {figure: page.evaluate(READ, figure.lstrip("-")) for figure in figures}
    clock.sleep(seconds)
    clock.advance(2)
    for figure, (shown, at) in before.items():
        now_shown, now = page.evaluate(READ, figure.lstrip("-"))
        counted = shown - now_shown if figure.startswith("-") else now_shown - shown
        assert abs(counted - (now - at)) < TOLERANCE, figure


def corrected(page: Any, clock: PageClock, seconds: float, figure: str) -> None:
    """Set the system clock, and wait until the server has confirmed a figure again."""
    [before, _] = page.evaluate(READ, figure)
    clock.jump(seconds)
    page.wait_for_function(
        f"([selector, before]) => Math.abs(({READ})(selector)[0] - before) < 60", arg=[figure, before]
    )


@pytest.fixture
def page(visit: Visit) -> Any:
    return visit(fresh=True)


@pytest.fixture
def clock(page: Any, server_clock: ServerClock) -> PageClock:
    return PageClock(page, server_clock)


def test_a_game_and_its_clock_slept(page: Any, clock: PageClock) -> None:
    page.goto("/play/labyrinth/")
    deal(page)
    for seconds in SLEEPS:
        asleep(page, clock, seconds, "#clock")
    corrected(page, clock, 7200, "#clock")
    corrected(page, clock, -7200, "#clock")


def test_a_room_and_a_countdown_slept(page: Any, clock: PageClock, site: Site) -> None:
    race = race_soon(site, "Ann", "Ben", seconds=900)
    page.goto(f"/races/{race['code']}/")
    for seconds in SLEEPS:
        asleep(page, clock, seconds, "-#stage-clock")
    corrected(page, clock, 7200, "#stage-clock")
    corrected(page, clock, -7200, "#stage-clock")
    page.context.add_cookies([{"name": "sessionid", "value": race["racers"][0]["session"], "url": site.url}])
    page.goto(race["racers"][0]["table"])
    asleep(page, clock, 60, "-#starting-number")


def heat_in_two_hours(route: Any) -> None:
    """Answer with a lobby whose next heat does not begin during the sleep."""
    reply, starts_at = route.fetch(), int(time.time() + 7200) * 1000
    route.fulfill(response=reply, body=re.sub(r"(starts_at&quot;:\s?)\d+", rf"\g<1>{starts_at}", reply.text()))


def test_a_lobby_slept(page: Any, clock: PageClock) -> None:
    page.route("**/lobby.json", lambda _: None)  # the server's copy may be as old as the sleep
    page.route("**/races/", heat_in_two_hours)
    page.goto("/races/")
    for seconds in SLEEPS:
        asleep(page, clock, seconds, "-#heat-clock")


def begin_storm(page: Any) -> None:
    """Start a storm and its clock."""
    page.goto("/puzzles/storm/")
    first = begin(page)
    PuzzleMouse(page).play(first.line[first.turns[0]])
    page.wait_for_function("() => document.querySelector('#run-clock').textContent < '3:00'")


def test_a_storm_slept(page: Any, clock: PageClock) -> None:
    begin_storm(page)
    asleep(page, clock, 20, "-#run-clock")
    [before, _] = page.evaluate(READ, "#run-clock")
    clock.jump(60)
    hidden_tab.wake(page, "visible")
    page.wait_for_function(f"before => ({READ})('#run-clock')[0] > before - 40", arg=before)
    clock.sleep(600)
    page.wait_for_selector("text=Play again")
