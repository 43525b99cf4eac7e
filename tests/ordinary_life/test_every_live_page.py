"""Every page that follows the server goes through every misfortune, all pages at once, and is live again in time.

The clocks of the pages stand still while they recover: a page gets seconds of its own time, however busy the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import Tabs
from tests.ordinary_life import hidden_tab
from tests.ordinary_life.conftest import Server
from tests.ordinary_life.live_pages import PAGES, Opened, World, live_templates
from tests.ordinary_life.page_clock import ServerClock
from tests.ordinary_life.relay import Relay

#: Seconds of a page's time until it is live again after it woke, or until it has retried after a refusal.
WAKES_WITHIN = 3
RETRIES_WITHIN = 30
#: Seconds of a page's time in which a page that is connected hears from the server.
HEARTBEAT = 16
#: The code with which a server closes one socket too many.
TOO_MANY = 4409
#: Least seconds of a page's time between two looks at the network, and most looks; seconds of a look.
STEP, STEPS, LOOK = 0.25, 16, 0.05
#: Real seconds until the `Date` of a server's responses follows its clock.
DATE_CHANGES_EVERY = 1.5
#: Real seconds to wait for what needs no more of a page's time.
PATIENCE = 30.0


class Screen:
    """All live pages, which share a browser and a network."""

    def __init__(self, world: World, pages: list[Opened]) -> None:
        self.world, self.pages = world, pages
        self.is_live = False

    def reload(self) -> None:
        """Load all pages again, and wait until they are live."""
        self.forget()
        self.each(lambda page: page.reload())
        self.world.move()
        assert self.await_all(self.connected, lambda one: one.is_live) == []

    def stop(self) -> None:
        for one in self.pages:
            one.clock.stop()

    def go(self) -> None:
        for one in self.pages:
            one.clock.go()

    def forget(self) -> None:
        for one in self.pages:
            one.forget()

    def each(self, what: Callable[[Any], object]) -> None:
        for one in self.pages:
            what(one.page)

    @property
    def polled(self) -> list[Opened]:
        return [one for one in self.pages if one.kind.polls]

    @property
    def connected(self) -> list[Opened]:
        return [one for one in self.pages if one.kind.sockets and not one.kind.polls]

    def pass_time(self, seconds: float, pages: list[Opened] | None = None) -> None:
        """Give pages time of their own, and the network time to answer them in between."""
        step = max(STEP, seconds / STEPS)
        for _ in range(round(seconds / step)):
            for one in pages or self.pages:
                one.clock.advance(step)
            self.look()

    def look(self) -> None:
        self.pages[0].page.wait_for_timeout(LOOK * 1000)

    def await_all(self, pages: list[Opened], holds: Callable[[Opened], bool]) -> list[str]:
        """Wait in real time, and return the names of the pages for which it does not hold."""
        latest = time.monotonic() + PATIENCE
        while left := [one.name for one in pages if not holds(one)]:
            if time.monotonic() > latest:
                return left
            self.look()
        return []


@pytest.fixture(scope="module")
def opened(chromium: Any, server: Server) -> Iterator[Screen]:
    world = World(server)
    tabs = Tabs(chromium, server.site, [], [])
    yield Screen(
        world, [Opened.open(name, world, tabs.open(fresh=True, session=PAGES[name].session(world))) for name in PAGES]
    )
    tabs.close()


@pytest.fixture
def screen(opened: Screen) -> Screen:
    """All pages, live; they are loaded again after a failed test."""
    if not opened.is_live:
        opened.reload()
    opened.is_live = False
    return opened


def faults(screen: Screen, within: float) -> dict[str, list[str]]:
    """Return the pages that are not live again within seconds of their own time, or that show what was."""
    screen.pass_time(within)
    dead = screen.await_all(screen.connected, lambda one: one.is_live)
    screen.pass_time(RETRIES_WITHIN, screen.polled)
    dead += screen.await_all(screen.polled, lambda one: one.is_live)
    screen.go()
    followers = [one for one in screen.pages if one.kind.follows_race]
    found = {
        "dead": dead,
        "outdated": screen.await_all(followers, lambda one: one.shows(screen.world.moves)),
        "errors": [f"{one.name}: {error}" for one in screen.pages for error in one.errors],
    }
    screen.is_live = not any(found.values())
    return {kind: pages for kind, pages in found.items() if pages}


def test_every_template_that_follows_the_server_is_here() -> None:
    assert {page.template for page in PAGES.values()} == live_templates()


@pytest.mark.parametrize("signal", hidden_tab.WAKE_SIGNALS)
def test_a_dead_connection_is_replaced_on_waking(screen: Screen, relay: Relay, signal: str) -> None:
    if signal == "visible":
        screen.each(hidden_tab.hide)
    screen.stop()
    relay.swallow()
    screen.world.move()
    screen.forget()
    relay.restore()
    screen.each(lambda page: hidden_tab.wake(page, signal))
    assert faults(screen, WAKES_WITHIN) == {}


def test_a_network_that_returns_delivers_what_was_held(screen: Screen, relay: Relay) -> None:
    screen.stop()
    relay.hold()
    screen.world.move()
    screen.forget()
    screen.pass_time(5)
    relay.restore()
    assert faults(screen, HEARTBEAT) == {}


def test_a_cut_network_is_found_again(screen: Screen, relay: Relay) -> None:
    screen.stop()
    screen.forget()
    relay.refuse()
    relay.cut()
    screen.world.move()
    screen.pass_time(5)
    relay.restore()
    screen.each(lambda page: hidden_tab.wake(page, "online"))
    assert faults(screen, WAKES_WITHIN) == {}


def test_a_refusal_is_not_final(screen: Screen, relay: Relay) -> None:
    screen.stop()
    screen.forget()
    screen.each(lambda page: page.evaluate("code => refuseSockets(code)", TOO_MANY))
    screen.world.move()
    assert faults(screen, RETRIES_WITHIN) == {}


def test_a_hidden_page_shows_the_present_when_it_is_shown(screen: Screen) -> None:
    screen.each(hidden_tab.freeze)
    screen.stop()
    screen.forget()
    screen.world.move()
    screen.each(hidden_tab.resume)
    assert faults(screen, HEARTBEAT) == {}


def test_a_restarted_server_is_found_again(screen: Screen, server: Server) -> None:
    screen.stop()
    screen.forget()
    server.stop()
    server.start()
    screen.world.move()
    assert faults(screen, RETRIES_WITHIN) == {}


@pytest.mark.parametrize("slept", [20, 600])
def test_all_clocks_are_right_after_sleep(screen: Screen, server_clock: ServerClock, slept: float) -> None:
    screen.reload()  # the pages have had more time than the server
    clocks = [one for one in screen.pages if one.kind.clock]
    assert screen.await_all(clocks, lambda one: one.seconds() is not None) == []
    screen.stop()
    before = {one.name: one.seconds() for one in clocks}
    for one in clocks:
        one.clock.jump(slept)
    server_clock.move(slept)
    began = time.monotonic()
    screen.pages[0].page.wait_for_timeout(DATE_CHANGES_EVERY * 1000)
    screen.go()
    screen.each(lambda page: hidden_tab.wake(page, "visible"))

    def is_right(one: Opened) -> bool:
        shown, read = one.seconds(), before[one.name]
        passed = slept + time.monotonic() - began
        return shown is not None and read is not None and abs(shown - max(0, read + one.kind.runs * passed)) <= 2

    assert screen.await_all(clocks, is_right) == []
