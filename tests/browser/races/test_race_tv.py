"""Race TV in a browser: a spectator sees a live race, and after it the next; and the overlay for streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Site, Visit, copied
from tests.browser.racing import race_soon

sync_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def site(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server without the races of other tests."""
    with contextmanager(copied)(prepared, tmp_path_factory.mktemp("tv")) as site:
        yield site


def raced(site: Site, visit: Visit, *names: str) -> tuple[Any, Any]:
    """Return a live public race, and the table of its first player."""
    race = race_soon(site, *names, seconds=4, public=True)
    first = race["racers"][0]
    table = visit(first["table"], session=first["session"], fresh=True)
    table.locator("#felt .card").first.wait_for()
    return race, table


def test_tv_shows_a_live_race_and_then_the_next(visit: Visit, site: Site) -> None:
    tv = visit("/races/tv/")
    sync_api.expect(tv.get_by_role("heading", name="No live races right now.")).to_be_visible()
    first, table = raced(site, visit, "Aglauros", "Theseus")
    room = tv.get_by_role("link", name="Go to the room")
    sync_api.expect(room).to_have_attribute("href", f"/races/{first['code']}/")
    sync_api.expect(tv.locator("#lanes .lane")).to_have_count(2)
    sync_api.expect(tv.locator("#running-clock")).to_contain_text("left")
    sync_api.expect(tv.locator("#live")).to_contain_text("Aglauros")

    overlay = visit(f"/races/{first['code']}/overlay/?size=200")
    sync_api.expect(overlay.locator(".lane", has_text="Aglauros")).to_have_css("font-size", "32px")
    assert overlay.locator("header, footer, a").count() == 0

    second, _table = raced(site, visit, "Minos", "Daedalus", "Icarus")
    table.get_by_role("button", name="Give up").first.click()
    table.locator("#resign-dialog button.danger").click()
    result = tv.get_by_role("link", name="Result and replays")
    sync_api.expect(result).to_have_attribute("href", f"/races/{first['code']}/1/")
    sync_api.expect(room).to_have_attribute("href", f"/races/{second['code']}/")
    sync_api.expect(tv.locator("#lanes .lane", has_text="Minos")).to_be_visible()
    sync_api.expect(result).to_be_hidden()
