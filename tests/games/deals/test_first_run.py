"""The first start of the embedded site, in plain Python: up at once, and today's deals come as they are certified."""

from __future__ import annotations

import sqlite3
import time
import urllib.request
from pathlib import Path

import pytest

from games.rules import CATALOGUE
from tests.config.running import run, running

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("embedded")]


def proven(var: Path) -> dict[str, int]:
    database = sqlite3.connect(var / "talon.sqlite3", timeout=20)
    try:
        return dict(
            database.execute("SELECT variant, proven FROM games_deal WHERE day = (SELECT min(day) FROM games_deal)")
        )
    finally:
        database.close()


def home(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as response:
        text: str = response.read().decode()
        return text


def test_todays_nine_deals_appear_as_they_are_certified(tmp_path: Path) -> None:
    settings = {"SEALED_STOCK": "1", "DEAL_PATIENCE": "900", "TALON_NO_NUMBA": "1", "PORT": "0"}
    with running("-m", "config.embedded", var=tmp_path, **settings) as process:
        address = process.await_line(r"ready at (http://\S+)/")[1]
        assert "Being prepared" in home(address)
        # A minute on a free machine; the limit is for one that runs other tests.
        latest, seen = time.monotonic() + 400, set()
        while len(found := proven(tmp_path)) < len(CATALOGUE):
            seen.add(len(found))
            assert time.monotonic() < latest, f"only {sorted(found)}"
            time.sleep(0.25)
        assert set(found.values()) == {1}
        assert len(seen) > 2, "they come one by one"
        assert "Being prepared" not in home(address)
        assert process.stop() == 0
    held = run("manage.py", "check_ledger", var=tmp_path)
    assert held.returncode == 0, held.stdout
