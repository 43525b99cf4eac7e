"""The client as production serves it: collected, hashed and compressed; and as `make run` does, file by file."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.conftest import Site, copied
from tests.browser.table import Mouse, won_record

WIRE_KIB = 120.0


def first_move(context: Any) -> tuple[Any, list[str]]:
    """A page on which a card has been played, and what its browser said meanwhile."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/play/labyrinth/")
    page.click("text=Deal the cards")
    player = Mouse(page)
    player.start()
    player.play(won_record("labyrinth")["tokens"][0])
    player.wait_played()
    return page, complaints


def test_the_table_works_from_the_sources(chromium: Any, prepared: Path, tmp_path: Path) -> None:
    with contextmanager(copied)(prepared, tmp_path, collected=False) as site:
        context = chromium.new_context(base_url=site.url, reduced_motion="reduce")
        page, complaints = first_move(context)
        assert complaints == []
        loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        assert f"{site.url}/static/js/table/socket.js" in loaded
        context.close()


def test_the_table_works_from_collected_files_and_is_small(chromium: Any, site: Site) -> None:
    context = chromium.new_context(base_url=site.url, reduced_motion="reduce")
    page, complaints = first_move(context)
    assert complaints == []
    cold = chromium.new_context(storage_state=context.storage_state()).new_page()
    sizes: list[float] = []
    session = cold.context.new_cdp_session(cold)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    cold.goto(page.url)
    cold.wait_for_load_state("networkidle")
    assert sum(sizes) / 1024 < WIRE_KIB
    loaded = cold.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert sorted(name.rsplit("/", 1)[1].split(".")[0] for name in loaded if name.endswith((".js", ".css"))) == [
        "at-table",
        "main",
        "theme",
    ]
    cold.context.close()
    missing: list[str] = []
    page.on("response", lambda answer: missing.extend([answer.url] if answer.status >= 400 else []))
    for path in ("/", "/deals/", "/rules/labyrinth/", "/nowhere/"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
    page.evaluate("navigator.serviceWorker.ready")  # all that it keeps was there
    assert missing == [f"{site.url}/nowhere/"]  # the page of the error itself, and none of its files
    context.close()
