"""The client as production serves it: collected, hashed and compressed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.conftest import ROOT, serve
from tests.browser.table import Mouse, won_record

WIRE_KIB = 120.0


def test_the_table_works_from_collected_files_and_is_small(chromium: Any, tmp_path: Path) -> None:
    collected = {"COLLECTED_STATIC": "true"}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
        env={**os.environ, **collected, "VAR_DIR": str(tmp_path)},
        cwd=ROOT,
        check=True,
    )
    with contextmanager(serve)(tmp_path, COLLECTED_STATIC=collected["COLLECTED_STATIC"]) as site:
        context = chromium.new_context(base_url=site.url, reduced_motion="reduce")
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
