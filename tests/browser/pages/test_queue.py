"""The admission queue in a browser, with a server that is full after one game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE_MS, Site, copied, sync_api
from tests.browser.pages.test_every_page import looked_at
from tests.browser.table.test_playing import deal


@pytest.fixture
def small(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with room for one socket, for one test, because sockets of earlier tests might still be open."""
    yield from copied(prepared, tmp_path_factory.mktemp("small"), MAX_SOCKETS="1")


@pytest.fixture
def visitor(chromium: Any, small: Site) -> Iterator[Any]:
    """Open a browser of a new visitor: `visitor(**context options)`."""
    contexts = []

    def come(**options: Any) -> Any:
        context = chromium.new_context(base_url=small.url, service_workers="block", **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context

    yield come
    for context in contexts:
        context.close()


def at_table(visitor: Any) -> Any:
    """A player with a running game."""
    page = visitor().new_page()
    page.goto("/play/stonewall/")
    deal(page)
    page.wait_for_selector("#felt .card.movable")
    return page


def queued(context: Any) -> Any:
    """A newcomer's page in the queue."""
    page = context.new_page()
    page.goto("/play/braid/")
    page.click("form[action$='/start'] button")
    page.wait_for_selector("#queue")
    return page


def test_a_newcomer_waits_keeps_the_place_and_gets_in(visitor: Any) -> None:
    playing = at_table(visitor)
    first, second = queued(visitor()), queued(visitor(locale="de-DE"))
    assert first.url.endswith("/queue/?next=%2Fplay%2Fbraid%2F")
    assert first.text_content("#queue-place") == "1"
    assert second.text_content("#queue-place") == "2"
    assert "Warteschlange" in second.title()
    assert first.get_attribute("#queue-wait", "role") == "status"
    sync_api.expect(first.locator("#queue-wait")).to_have_text("No table is free right now.")
    assert looked_at(first) == []
    second.reload()
    assert second.text_content("#queue-place") == "2"
    # A player with a running game is never queued, and can return to the table.
    table = playing.url
    playing.reload()
    playing.wait_for_selector("#felt .card.movable")
    other = playing.context.new_page()
    assert other.goto("/boards/").status == 200
    assert other.goto(table).status == 200
    # Once there is room, the page continues by itself, and the player starts the game.
    playing.context.close()
    first.wait_for_selector("form[action$='/start'] button")
    first.click("form[action$='/start'] button")
    first.wait_for_url(re.compile("/table/"))
    first.wait_for_selector("#felt .card")


def test_the_number_goes_down_as_others_leave(visitor: Any) -> None:
    playing = at_table(visitor)
    ahead, behind = queued(visitor()), queued(visitor())
    sync_api.expect(behind.locator("#queue-place")).to_have_text("2")
    ahead.context.close()
    sync_api.expect(behind.locator("#queue-place")).to_have_text("1")
    playing.context.close()


def test_it_works_without_scripts(visitor: Any) -> None:
    playing = at_table(visitor)
    page = queued(visitor(java_script_enabled=False))
    assert page.text_content("#queue-place") == "1"
    playing.context.close()
    page.wait_for_selector("form[action$='/start'] button")
