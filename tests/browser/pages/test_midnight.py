"""A page open at midnight, when the new deals come, on a controlled clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.browser.conftest import Visit
from tests.ordinary_life.hidden_tab import hide, show

#: Server time in the page; the new deals come a minute later.
WRITTEN = datetime(2030, 5, 17, 23, 59, tzinfo=UTC)
DEALS_COME = WRITTEN + timedelta(minutes=1)
DAY = WRITTEN.date().isoformat()

#: Answers requests for the server's time; the system clock is ahead of it by so many ms.
SERVER_TIME = """(() => {
  const [fetched, started, begun] = [globalThis.fetch, Date.now() - %d, performance.now()];
  const now = () => new Date(started + performance.now() - begun);
  globalThis.fetch = (url, options) => options?.method === "HEAD"
    ? Promise.resolve(new Response("", {headers: {Date: now().toUTCString()}}))
    : fetched(url, options);
})()"""


def open_home(
    visit: Visit, clock: datetime, chance: float, race_starts: datetime, *, at: datetime = WRITTEN
) -> tuple[Any, list[str]]:
    """Open the home page a minute before the new deals, in a browser with a wrong clock; return it with its loads.

    The page counts down to the new deals and to the race of the day, and is outdated when it is loaded again. The
    server's time is `at` when it is opened.
    """
    loads: list[str] = []
    page = visit(fresh=True)

    def written(route: Any) -> None:
        loads.append(route.request.url)
        now = DEALS_COME + timedelta(minutes=1) if len(loads) > 1 else WRITTEN
        ends = iter([DEALS_COME, race_starts])
        text, countdowns = re.subn(
            r'data-countdown="[^"]*" data-now="[^"]*"',
            lambda _: f'data-countdown="{next(ends).isoformat()}" data-now="{now.isoformat()}"',
            route.fetch().text(),
        )
        assert countdowns == 2
        text, days = re.subn(
            r'data-day="[^"]*" data-now="[^"]*"', f'data-day="{DAY}" data-now="{now.isoformat()}"', text
        )
        assert days == 1
        route.fulfill(body=text, content_type="text/html")

    page.route(lambda url: url.endswith("/?midnight"), written)
    page.add_init_script(f"Math.random = () => {chance}")
    page.clock.install(time=clock)
    page.clock.pause_at(clock + timedelta(seconds=1))  # from here on, only the test advances the clock
    page.add_init_script(SERVER_TIME % ((clock + timedelta(seconds=1) - at) / timedelta(milliseconds=1)))
    page.goto("/?midnight")
    page.wait_for_selector(".countdown b:not(:has-text('–'))", state="attached")
    return page, loads


def says_today(page: Any) -> bool:
    """Return whether the page has words about today, and not the line that says that the day is over."""
    words: bool = page.locator("[data-today]:visible").count() > 0
    assert words == page.locator(".new-day").is_hidden()
    assert words == ("Today" in page.title())
    return words


def test_pages_with_a_wrong_clock_reload_once_spread_over_two_minutes(visit: Visit) -> None:
    chance = 0.5
    page, loads = open_home(visit, WRITTEN - timedelta(days=2), chance, DEALS_COME + timedelta(hours=1))
    page.clock.run_for(30_000)
    page.wait_for_load_state("networkidle")
    assert page.text_content(".countdown b") == "0:30"
    assert says_today(page)
    page.clock.run_for(31_000 + int(chance * 120_000))
    page.wait_for_load_state("networkidle")
    assert len(loads) == 1
    assert page.text_content(".countdown b") == "0:00"
    assert not says_today(page)
    with page.expect_navigation():
        page.clock.run_for(4_000)
    assert len(loads) == 2
    # The reloaded page still has the old deals; it does not reload again for the same end.
    page.clock.run_for(600_000)
    page.wait_for_load_state("networkidle")
    assert len(loads) == 2


def test_a_page_outdated_by_two_deadlines_reloads_once_for_each(visit: Visit) -> None:
    page, loads = open_home(visit, WRITTEN, 0.0, DEALS_COME + timedelta(minutes=8))
    for seconds in (65, 480):
        with page.expect_navigation():
            page.clock.run_for(seconds * 1000)
    page.wait_for_load_state("networkidle")
    page.clock.run_for(600_000)
    page.wait_for_load_state("networkidle")
    assert len(loads) == 3


def test_a_page_that_returns_after_midnight_reloads_at_once(visit: Visit) -> None:
    page, loads = open_home(visit, WRITTEN, 0.99, DEALS_COME + timedelta(hours=1))
    hide(page)
    page.clock.run_for(65_000)
    assert len(loads) == 1
    with page.expect_navigation():
        show(page)
    assert len(loads) == 2


def test_a_copy_of_yesterdays_page_reloads_at_once(visit: Visit) -> None:
    later = WRITTEN + timedelta(hours=9)
    page, loads = open_home(visit, later, 0.99, DEALS_COME + timedelta(days=1), at=later)
    page.wait_for_function("() => sessionStorage.getItem('talon.reloaded')")
    page.wait_for_load_state("networkidle")
    assert len(loads) == 2
    assert not says_today(page)


def test_a_corrected_system_clock_makes_no_other_day(visit: Visit) -> None:
    page, loads = open_home(visit, WRITTEN, 0.0, DEALS_COME + timedelta(hours=1))
    for hours, left in ((9, "45"), (-9, "34")):
        page.clock.set_system_time(WRITTEN + timedelta(hours=hours))
        page.clock.run_for(10_000)
        page.wait_for_function(f"() => /^0:[{left}]/.test(document.querySelector('.countdown b').textContent)")
        assert says_today(page)
        assert len(loads) == 1
