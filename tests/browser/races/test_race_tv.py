"""Race TV in a browser: a spectator sees a live race, and after it the next; and the overlay for streams."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Site, Visit
from tests.browser.racing import race_soon
from tests.browser.table_driver import give_up
from tests.ordinary_life.page_clock import PageClock

sync_api = pytest.importorskip("playwright.sync_api")


def raced(site: Site, visit: Visit, *names: str) -> tuple[Any, list[Any]]:
    """Return a live public race of two, and their tables; a racer without one would soon be struck off as absent."""
    race = race_soon(site, *names, seconds=4, public=True)
    tables = [visit(racer["table"], session=racer["session"]) for racer in race["racers"]]
    for table in tables:
        table.locator("#felt .card").first.wait_for()
    return race, tables


def test_tv_shows_a_live_race_and_then_the_next(visit: Visit, site: Site) -> None:
    site.control.ask("end_races")  # of other tests
    tv = visit(fresh=True)
    clock = PageClock(tv)
    tv.goto("/races/tv/")
    sync_api.expect(tv.get_by_role("heading", name="No live races right now.")).to_be_visible()
    first, tables = raced(site, visit, "Aglauros", "Theseus")
    room = tv.get_by_role("link", name="Go to the room")
    sync_api.expect(room).to_have_attribute("href", f"/races/{first['code']}/")
    sync_api.expect(tv.locator("#lanes .lane")).to_have_count(2)
    sync_api.expect(tv.locator("#running-clock")).to_contain_text("left")
    clock.advance(10)  # the standing is announced that seldom
    sync_api.expect(tv.locator("#live")).to_contain_text("Aglauros")

    overlay = visit(f"/races/{first['code']}/overlay/?size=200")
    sync_api.expect(overlay.locator(".lane", has_text="Aglauros")).to_have_css("font-size", "32px")
    assert overlay.locator("header, footer, a").count() == 0

    second, _tables = raced(site, visit, "Minos", "Daedalus")
    for table in tables:
        give_up(table)
    result = tv.get_by_role("link", name="Result and replays")
    sync_api.expect(result).to_have_attribute("href", f"/races/{first['code']}/1/")
    clock.advance(10)
    sync_api.expect(room).to_have_attribute("href", f"/races/{second['code']}/")
    sync_api.expect(tv.locator("#lanes .lane", has_text="Minos")).to_be_visible()
    sync_api.expect(result).to_be_hidden()
    site.control.ask("end_races")
