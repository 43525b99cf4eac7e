"""The smallest part of `python -m tests.upgrades`: a site of the first commit with a journal by day, on SQLite."""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.upgrades.earlier_sites import Site, upgrade
from tests.upgrades.snapshots import Rows, losses, snapshot

DUMP = Path(__file__).with_name("first_site.sql.xz")


def test_an_early_site_keeps_its_rows(tmp_path: Path) -> None:
    site = Site(tmp_path, tmp_path)
    with closing(sqlite3.connect(tmp_path / "talon.sqlite3")) as database:
        database.executescript(lzma.decompress(DUMP.read_bytes()).decode())
    before = snapshot(site.url)
    assert sum(bool(table.rows) for table in before.values()) > 20
    assert upgrade(site) == ""
    assert losses(before, snapshot(site.url)) == []


def test_changed_and_missing_rows_are_reported() -> None:
    before = {
        "games_attempt": Rows(("id", "line"), [(1, "a"), (2, "b")]),
        "races_entrant": Rows(("id", "state"), [(1, "joined")]),
        "games_deal": Rows(("id", "seed"), [(1, b"x")]),
        "games_start": Rows(("id",), [(1,)]),
        "puzzles_stormrun": Rows(("id", "begun_at"), [(1, None), (2, "today")]),
    }
    after = {
        "games_attempt": Rows(("line", "id", "new"), [("a", 1, 0), ("c", 2, 0), ("d", 3, 0)]),
        "races_entrant": Rows(("id", "state"), [(1, "seated")]),
        "games_deal": Rows(("id",), [(1,)]),
        "puzzles_stormrun": Rows(("id", "begun_at"), [(2, "today")]),
    }
    assert losses(before, after) == [
        "games_attempt: 1 of 2 rows changed or gone, such as {'id': 2, 'line': 'b'}",
        "games_deal.seed: gone",
        "games_start: gone, with 1 rows",
    ]
