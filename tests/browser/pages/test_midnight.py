"""A page open at midnight, when the new deals come, on a controlled clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from tests.browser.conftest import Visit

#: Server time in the page; the new deals come a minute later.
WRITTEN = datetime(2030, 5, 17, 23, 59, tzinfo=UTC)
DEALS_COME = WRITTEN + timedelta(minutes=1)


def open_home(visit: Visit, clock: datetime, chance: float, race_starts: datetime) -> tuple[Any, list[str]]:
    """Open the home page a minute before the new deals, in a browser with a wrong clock; return it with its loads.

    The page counts down to the new deals and to the race of the day, and is outdated when it is loaded again.
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
        route.fulfill(body=text, content_type="text/html")

    page.route(lambda url: url.endswith("/?midnight"), written)
    page.add_init_script(f"Math.random = () => {chance}")
    page.clock.install(time=clock)
    page.clock.pause_at(clock + timedelta(seconds=1))  # from here on, only the test advances the clock
    page.goto("/?midnight")
    page.wait_for_selector(".countdown b:not(:has-text('–'))")
    return page, loads


@pytest.mark.parametrize(
    ("wrong", "chance"),
    [(timedelta(days=2), 0.0), (timedelta(days=-2), 0.5), (timedelta(seconds=90), 0.99)],
    ids=["fast", "slow", "a little fast"],
)
def test_pages_reload_once_spread_over_two_minutes_whatever_their_clocks(
    visit: Visit, wrong: timedelta, chance: float
) -> None:
    page, loads = open_home(visit, WRITTEN + wrong, chance, DEALS_COME + timedelta(hours=1))
    page.clock.run_for(30_000)
    page.wait_for_load_state("networkidle")
    assert page.text_content(".countdown b") == "0:00:30"
    page.clock.run_for(31_000 + int(chance * 120_000))
    page.wait_for_load_state("networkidle")
    assert len(loads) == 1
    assert page.text_content(".countdown b") == "0:00:00"
    with page.expect_navigation():
        page.clock.run_for(4_000)
    assert len(loads) == 2
    # The reloaded page still has the old deals; it does not reload again for the same end.
    page.clock.run_for(600_000)
    page.wait_for_load_state("networkidle")
    assert len(loads) == 2


def test_a_page_outdated_by_two_deadlines_reloads_once_for_each(visit: Visit) -> None:
    page, loads = open_home(visit, WRITTEN, 0.0, DEALS_COME + timedelta(seconds=10))
    reloads = count(1)
    with page.expect_request(lambda request: request.is_navigation_request() and next(reloads) == 2):
        page.clock.run_for(65_000)
    page.wait_for_load_state("networkidle")
    page.clock.run_for(600_000)
    page.wait_for_load_state("networkidle")
    assert len(loads) == 3
