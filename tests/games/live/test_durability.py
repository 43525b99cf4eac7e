"""Durability of SQLite: commits survive a power cut, whichever connection wrote them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from games.live.journal_store import JournalEntry, JournalStore
from games.live.loader import off_loop
from games.models import Attempt

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL is durable by its own default"),
]

FULL = 2
Pragmas = tuple[str, int]


def pragmas(used: BaseDatabaseWrapper) -> Pragmas:
    found: list[Any] = []
    for name in ("journal_mode", "synchronous"):
        with used.cursor() as cursor:
            cursor.execute(f"PRAGMA {name}")
            found.append(cursor.fetchone()[0])
    return found[0], found[1]


def of_this_thread() -> Pragmas:
    try:
        return pragmas(connections["default"])
    finally:
        connections.close_all()


def of_another_thread() -> Pragmas:
    found: list[Pragmas] = []
    thread = threading.Thread(target=lambda: found.append(of_this_thread()))
    thread.start()
    thread.join()
    return found[0]


def of_a_request() -> Pragmas:
    return async_to_sync(sync_to_async(of_this_thread))()


def beside_the_loop() -> Pragmas:
    return async_to_sync(off_loop(of_this_thread))()


def of_the_journal() -> Pragmas:
    store = JournalStore("default")
    try:
        store.write([JournalEntry(1, 1, ("d",), 1)])
        assert store._connection is not None
        return pragmas(store._connection)
    finally:
        store.close()


@pytest.mark.parametrize(
    "ask",
    [of_this_thread, of_another_thread, of_a_request, beside_the_loop, of_the_journal],
    ids=lambda ask: ask.__name__,
)
def test_every_connection_waits_for_the_disk(ask: Callable[[], Pragmas]) -> None:
    assert ask() == ("wal", FULL)
    assert not Attempt.objects.exists()


def test_all_code_opens_the_database_the_same_way() -> None:
    """Code that opens SQLite files itself would use its own durability settings."""
    root = Path(settings.BASE_DIR)
    sources = [path for part in ("accounts", "config", "games", "leaderboards") for path in (root / part).rglob("*.py")]
    assert len(sources) > 50
    assert [path.name for path in sources if re.search(r"\bsqlite3\.|import sqlite3", path.read_text())] == []
