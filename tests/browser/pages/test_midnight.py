"""A page open at midnight, when the new deals come, on a controlled clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.browser.conftest import Visit

#: Server time in the page; the new deals come a minute later.
WRITTEN = datetime(2030, 5, 17, 23, 59, tzinfo=UTC)
DEALS_COME = WRITTEN + timedelta(minutes=1)


def open_home(visit: Visit, clock: datetime, chance: float) -> tuple[Any, list[str]]:
    """Open the home page a minute before the new deals, in a browser with a wrong clock; return it with its loads."""
    loads: list[str] = []
    page = visit(fresh=True)

    def written(route: Any) -> None:
        loads.append(route.request.url)
        attributes = f'data-countdown="{DEALS_COME.isoformat()}" data-now="{WRITTEN.isoformat()}" data-was='
        text = route.fetch().text().replace("data-countdown=", attributes, 1)
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
    page, loads = open_home(visit, WRITTEN + wrong, chance)
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
