"""The kit itself: each misfortune is what it claims to be, in a real browser and against the real server."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Visit
from tests.browser.table_driver import deal
from tests.ordinary_life.page_clock import PageClock, ServerClock
from tests.ordinary_life.relay import Relay

#: Seconds of Date, of performance.now, and of an interval of one second.
CLOCKS = "() => [Date.now() / 1000, performance.now() / 1000, ticks]"
COUNT = "() => { globalThis.ticks = 0; setInterval(() => { ticks += 1; }, 1000); }"
FETCH = "() => fetch('/healthz', {cache: 'no-store'}).then(({status}) => status, () => 'failed')"
LIMITED = "() => fetch('/healthz', {signal: AbortSignal.timeout(500)}).then(() => 'answered', ({name}) => name)"


def seconds(page: Any) -> tuple[float, float, int]:
    read: tuple[float, float, int] = tuple(page.evaluate(CLOCKS))
    return read


def test_sleeping_jumping_and_time_are_different_for_a_page(visit: Visit) -> None:
    page = visit(fresh=True)
    clock = PageClock(page)
    page.goto("/healthz")
    page.evaluate(COUNT)
    before = seconds(page)
    clock.sleep(600)
    asleep = seconds(page)
    assert (asleep[0] - before[0]) // 600 == 1
    assert asleep[1] - before[1] < 500
    clock.jump(-3600)
    assert seconds(page)[0] < before[0]
    clock.advance(100)
    later = seconds(page)
    assert later[1] - asleep[1] >= 100
    assert later[2] >= 99


def test_the_server_sleeps_with_the_page(visit: Visit, server_clock: ServerClock) -> None:
    page = visit(fresh=True)
    clock = PageClock(page, server_clock)
    page.goto("/play/labyrinth/")
    deal(page)
    table = page.url
    clock.sleep(600)
    page.goto(table)
    page.wait_for_function("() => /^10:/.test(document.querySelector('#clock').textContent)")


def test_a_swallowed_connection_stays_dead_and_a_new_one_is_served(visit: Visit, relay: Relay) -> None:
    page = visit("/healthz")
    assert page.evaluate(FETCH) == 200
    relay.swallow()
    assert page.evaluate(LIMITED) == "TimeoutError"
    relay.restore()
    relay.cut()
    assert page.evaluate(FETCH) == 200


def test_held_bytes_arrive_late_and_refused_connections_fail(visit: Visit, relay: Relay, complaints: list[str]) -> None:
    page = visit("/healthz")
    relay.hold()
    page.evaluate(f"() => {{ globalThis.late = ({FETCH})(); }}")
    page.wait_for_timeout(100)
    relay.restore()
    assert page.evaluate("late") == 200
    relay.cut()
    relay.refuse()
    assert page.evaluate(FETCH) == "failed"
    relay.restore()
    assert page.evaluate(FETCH) == 200
    complaints.clear()
