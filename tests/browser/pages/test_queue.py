"""The admission queue in a browser, with a server that is full after one game."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.servers import eventually
from tests.browser.conftest import Site, Tabs, copied, sync_api
from tests.browser.pages.test_every_page import looked_at
from tests.browser.table_driver import deal
from tests.ordinary_life.page_clock import PageClock


@pytest.fixture
def small(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with room for one socket, for one test, because sockets of earlier tests might still be open."""
    yield from copied(prepared, tmp_path_factory.mktemp("small"), MAX_SOCKETS="1")


@pytest.fixture
def visit(chromium: Any, small: Site) -> Iterator[Callable[..., Any]]:
    """Open a page there; refusals are no complaint."""
    tabs = Tabs(chromium, small, [], [])
    yield tabs.open
    tabs.close()


def queued(visit: Callable[..., Any], **options: Any) -> Any:
    """A newcomer's page in the queue."""
    page = visit(fresh=True, **options)
    PageClock(page)
    page.goto("/play/braid/")
    page.click("form[action$='/start'] button")
    page.wait_for_selector("#queue")
    return page


def lets_in(page: Any) -> bool:
    """Return whether a newcomer could start a game now."""
    return bool(page.request.get("/queue/", headers={"Accept": "application/json"}).json()["let_in"])


def test_newcomers_wait_and_get_in(visit: Callable[..., Any]) -> None:
    playing = visit("/play/stonewall/", fresh=True)
    deal(playing)
    playing.wait_for_selector("#felt .card.movable")
    eventually(lambda: not lets_in(playing))
    first, second = queued(visit), queued(visit, locale="de-DE")
    scriptless = queued(visit, java_script_enabled=False)
    assert first.url.endswith("/queue/?next=%2Fplay%2Fbraid%2F")
    assert "Warteschlange" in second.title()
    assert first.get_attribute("#queue-wait", "role") == "status"
    sync_api.expect(first.locator("#queue-wait")).to_have_text("All tables are full right now.")
    assert looked_at(first) == []
    second.reload()
    # A request without an answer ends, and the next one shows the reason again.
    second.route("**/queue/", lambda route: None)
    PageClock(second).advance(7)
    PageClock(second).advance(9)
    sync_api.expect(second.locator("#queue-wait")).to_have_text("Verbindet …")
    second.unroute("**/queue/")
    PageClock(second).advance(7)
    sync_api.expect(second.locator("#queue-wait")).to_have_text("Gerade sind alle Tische besetzt.")
    # A player with a running game is never queued, and can return to the table.
    table = playing.url
    playing.reload()
    playing.wait_for_selector("#felt .card.movable")
    other = playing.context.new_page()
    assert other.goto("/boards/").status == 200
    assert other.goto(table).status == 200
    # Once there is room, the page continues by itself, and the player starts the game.
    playing.context.close()
    eventually(lambda: lets_in(first))
    PageClock(first).advance(7)
    first.wait_for_selector("form[action$='/start'] button")
    first.click("form[action$='/start'] button")
    first.wait_for_url(re.compile("/table/"))
    first.wait_for_selector("#felt .card")
    # It works without scripts, too.
    first.context.close()
    scriptless.wait_for_selector("form[action$='/start'] button")
