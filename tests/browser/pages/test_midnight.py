"""A page open at midnight, when the new deals come, on a controlled clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

Visit = Callable[..., Any]

#: Server time in the page; the new deals come a minute later.
WRITTEN = datetime(2030, 5, 17, 23, 59, tzinfo=UTC)
DEALS_COME = WRITTEN + timedelta(minutes=1)


def open_home(visit: Visit, clock: datetime, chance: float) -> tuple[Any, list[str]]:
    """Open the home page a minute before the new deals, in a browser with a wrong clock; return it with its loads."""
    loads: list[str] = []
    page = visit("/verify/")

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


@pytest.mark.parametrize("wrong", [timedelta(days=2), timedelta(days=-2), timedelta(seconds=90)], ids=str)
def test_a_wrong_clock_affects_neither_reload_nor_countdown(visit: Visit, wrong: timedelta) -> None:
    page, loads = open_home(visit, WRITTEN + wrong, 0)
    page.clock.run_for(30_000)
    page.wait_for_load_state("networkidle")
    assert page.text_content(".countdown b") == "0:00:30"
    assert len(loads) == 1


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.99])
def test_pages_reload_once_and_spread_over_two_minutes(visit: Visit, chance: float) -> None:
    page, loads = open_home(visit, WRITTEN, chance)
    page.clock.run_for(61_000 + int(chance * 120_000))
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
