"""The journal: acknowledged moves are committed and survive a power cut, and each number has one winner."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
from django.conf import settings
from django.db import DatabaseError, DataError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, journal_of, record_of
from games.core import metrics
from games.live import journal_store
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import JournalEntry, JournalStore
from games.models import Attempt, Move
from tests.factories import make_deal
from tests.games.conftest import Play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def attempts(player: Any) -> list[Attempt]:
    deal = make_deal()
    return [Attempt.objects.create(player=player, deal=deal, ranked=False, started_at=timezone.now()) for _ in range(5)]


@pytest.fixture
def store() -> Any:
    store = JournalStore("default")
    yield store
    store.close()


@pytest_asyncio.fixture
async def journal() -> Any:
    journal = Journal()
    yield journal
    await journal.close()


def rows(attempt: Attempt) -> list[tuple[int, str]]:
    return [(row.n, row.token) for row in journal_of(attempt.pk)]


async def test_moves_during_a_commit_go_out_in_the_next(
    journal: Journal, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[list[JournalEntry]] = []
    waits: list[float] = []
    monkeypatch.setattr(metrics.JOURNAL_WAIT_SECONDS, "observe", waits.append)
    free, write = threading.Event(), journal._store.write
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def slow(entries: Any) -> frozenset[int]:
        written.append(list(entries))
        loop.call_soon_threadsafe(begun.set)
        free.wait(60)
        return write(entries)

    journal._store.write = slow  # type: ignore[method-assign]
    first = [asyncio.create_task(journal.append(JournalEntry(a.pk, 1, ("d",), 5))) for a in attempts[:2]]
    await begun.wait()
    others, since = [], []
    for attempt in attempts[2:]:
        others.append(asyncio.create_task(journal.append(JournalEntry(attempt.pk, 1, ("d",), 5))))
        for _ in range(3):  # each in its own loop iteration
            await asyncio.sleep(0)
        since.append(loop.time())
    assert not any(one.done() for one in first)  # nothing is acknowledged before the commit
    released = loop.time()
    free.set()
    assert await asyncio.gather(*first, *others) == [True] * 5
    assert [len(batch) for batch in written] == [2, 3]
    assert len(waits) == 2
    assert waits[1] >= released - since[0], "the longest wait of a batch counts"


def test_a_taken_number_is_lost_and_the_others_stay(store: JournalStore, attempts: list[Attempt]) -> None:
    one, two = attempts[:2]
    assert store.write([JournalEntry(one.pk, 1, ("d",), 5)]) == frozenset()
    lost = store.write([JournalEntry(one.pk, 1, ("t0-f",), 6), JournalEntry(two.pk, 1, ("d",), 6)])
    assert lost == {one.pk}
    assert (rows(one), rows(two)) == ([(1, "d")], [(1, "d")])


def test_a_run_with_one_taken_number_is_lost_whole(store: JournalStore, attempts: list[Attempt]) -> None:
    one, two = attempts[:2]
    store.write([JournalEntry(one.pk, 1, ("d",), 5)])
    lost = store.write([JournalEntry(one.pk, 1, ("a", "b", "c"), 6, auto=True), JournalEntry(two.pk, 1, ("d", "d"), 6)])
    assert lost == {one.pk}
    assert rows(one) == [(1, "d")]
    assert rows(two) == [(1, "d"), (2, "d")]


def test_each_of_several_losers_is_reported(store: JournalStore, attempts: list[Attempt]) -> None:
    taken = [JournalEntry(attempt.pk, 1, ("d",), 5) for attempt in attempts[:2]]
    assert store.write(taken) == frozenset()
    for tokens in (("d",), ("a", "b")):
        lost = store.write([entry._replace(tokens=tokens, ms=6) for entry in taken])
        assert lost == {attempt.pk for attempt in attempts[:2]}


def test_the_original_error_is_raised_if_rollback_fails(
    store: JournalStore, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write([JournalEntry(attempts[0].pk, 1, ("d",), 5)])

    def breaks(connection: Any, *_: Any) -> Any:
        connection.cursor().execute("ROLLBACK")  # now the journal's rollback fails
        raise DataError("the insert")

    monkeypatch.setattr(journal_store, "_insert", breaks)
    with pytest.raises(DataError, match="the insert"):
        store.write([JournalEntry(attempts[0].pk, 2, ("d", "d"), 6)])


def test_runs_after_a_broken_one_are_committed(
    store: JournalStore, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = attempts[:2]
    insert = journal_store._insert

    def breaks(*args: Any) -> Any:
        insert(*args)
        raise DataError("after the insert")

    with monkeypatch.context() as patch:
        patch.setattr(journal_store, "_insert", breaks)
        with pytest.raises(DataError):
            store.write([JournalEntry(one.pk, 1, ("d", "d"), 5)])
    assert store.write([JournalEntry(two.pk, 1, ("d",), 6)]) == frozenset()
    assert (rows(one), rows(two)) == ([], [(1, "d")])  # read on another connection


def test_a_closed_attempt_accepts_no_moves(store: JournalStore, attempts: list[Attempt]) -> None:
    one = attempts[0]
    store.write([JournalEntry(one.pk, 1, ("d",), 5)])
    close_attempt(one.pk, "resigned")
    # The close has taken the next number; the one after it is free, but refused too.
    for n in (2, 3):
        assert store.write([JournalEntry(one.pk, n, ("d",), 6)]) == {one.pk}
    Move.objects.filter(attempt_id=one.pk).delete()
    assert store.write([JournalEntry(one.pk, 3, ("d",), 6)]) == {one.pk}


def test_a_commit_with_a_lost_answer_is_not_lost(
    store: JournalStore, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    insert, failures, tries = journal_store._insert, iter([True]), []

    def breaks_after(*args: Any) -> Any:
        inserted = insert(*args)
        tries.append(inserted)
        if next(failures, False):
            raise OperationalError("the connection broke after the commit")
        return inserted

    monkeypatch.setattr(journal_store, "_insert", breaks_after)
    assert store.write([JournalEntry(attempts[0].pk, 1, ("d",), 5)]) == frozenset()
    assert rows(attempts[0]) == [(1, "d")]
    assert len(tries) == 2


def test_an_outage_is_raised_after_the_last_try(
    store: JournalStore, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = Mock(side_effect=OperationalError)
    monkeypatch.setattr(journal_store, "RETRY_AFTER", (0.0, 0.0))
    monkeypatch.setattr(journal_store, "_insert", insert)
    with pytest.raises(OperationalError):
        store.write([JournalEntry(attempts[0].pk, 1, ("d",), 5)])
    assert insert.call_count == 3


def test_a_broken_connection_is_replaced(store: JournalStore, attempts: list[Attempt]) -> None:
    store.write([JournalEntry(attempts[0].pk, 1, ("d",), 5)])
    broken: Any = store._connection
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 60000)", [broken.connection.info.backend_pid])
    else:
        broken.cursor = _away
    assert store.write([JournalEntry(attempts[0].pk, 2, ("d",), 5)]) == frozenset()
    assert store._connection is not broken
    assert len(rows(attempts[0])) == 2


def test_the_journals_connection_is_not_from_the_pool(store: JournalStore, attempts: list[Attempt]) -> None:
    store.write([JournalEntry(attempts[0].pk, 1, ("d",), 5)])
    assert store._connection is not connections["default"]
    assert "pool" not in store._connection.settings_dict["OPTIONS"]  # type: ignore[union-attr]


def _away(*_: Any) -> Any:
    raise OperationalError("no database")


async def test_a_broken_database_refuses_all_waiting_moves(
    journal: Journal, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    rows: list[float] = []
    monkeypatch.setattr(metrics.JOURNAL_WAIT_SECONDS, "observe", waits.append)
    monkeypatch.setattr(metrics.JOURNAL_ROWS, "observe", rows.append)
    monkeypatch.setattr(journal._store, "write", Mock(side_effect=DatabaseError))
    waiting = [journal.append(JournalEntry(attempt.pk, 1, ("d",), 5)) for attempt in attempts]
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(answer, JournalBusyError) for answer in answers)
    assert (len(waits), rows) == (1, [])


async def test_a_full_journal_refuses_moves(
    journal: Journal, attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.live.journal.MAX_WAITING", 2)
    waiting = [journal.append(JournalEntry(attempt.pk, 1, ("d",), 5)) for attempt in attempts]
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert answers[:2] == [True, True]
    assert all(isinstance(answer, JournalBusyError) for answer in answers[2:])


async def test_closing_commits_waiting_moves(attempts: list[Attempt]) -> None:
    journal = Journal()
    waiting = asyncio.create_task(journal.append(JournalEntry(attempts[0].pk, 1, ("d",), 5)))
    await asyncio.sleep(0)
    await journal.close()
    assert waiting.done()
    assert await waiting is True
    with pytest.raises(JournalBusyError):
        await journal.append(JournalEntry(attempts[0].pk, 2, ("d",), 5))


async def test_closing_waits_for_the_thread_and_its_connection(
    attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal()
    assert await journal.append(JournalEntry(attempts[0].pk, 1, ("d",), 5))
    thread = journal._thread
    assert thread is not None
    assert thread.daemon  # a stopping process does not wait for it
    await journal.close()
    assert not thread.is_alive()
    assert journal._store._connection is None
    await journal.close()  # a second close does nothing


@pytest.mark.parametrize("attempt_number", range(2))
def test_no_acknowledged_move_is_missing_from_the_record(attempt_number: int, attempt_at: Play) -> None:
    """Two processes play one attempt as fast as they can while a third closes it."""
    attempt = attempt_at("braid")
    acknowledged: set[int] = set()
    started = threading.Barrier(3)

    def play(name: int) -> None:
        store, chance = JournalStore("default"), random.Random(f"{attempt_number} {name}")
        started.wait(60)
        last = 0
        while not Attempt.objects.exclude(state="playing").filter(pk=attempt.pk).exists():
            run = chance.choice((1, 1, 3))
            # A draw and its undo in turn are legal in whichever order the processes play.
            tokens = tuple("d" if (last + k) % 2 == 0 else "u" for k in range(run))
            if not store.write([JournalEntry(attempt.pk, last + 1, tokens, (last + run) * 10 + name)]):
                acknowledged.update(range(last + 1, last + run + 1))
            last = max((row.n for row in journal_of(attempt.pk)), default=0)
        store.close()
        connection.close()

    threads = [threading.Thread(target=play, args=(name,)) for name in (1, 2)]
    for thread in threads:
        thread.start()
    started.wait(60)
    while len(acknowledged) < 10 + attempt_number:
        pass
    closed = close_attempt(attempt.pk, "closed")
    for thread in threads:
        thread.join(20)
    record = record_of(closed)
    assert acknowledged == set(range(1, len(record.tokens) + 1))


sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL is durable by its own default")
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


def of_the_journal() -> Pragmas:
    store = JournalStore("default")
    try:
        store.write([JournalEntry(1, 1, ("d",), 1)])
        assert store._connection is not None
        return pragmas(store._connection)
    finally:
        store.close()


@pytest.mark.parametrize("read", [of_this_thread, of_another_thread, of_the_journal])
@sqlite_only
def test_every_connection_waits_for_the_disk(read: Callable[[], Pragmas]) -> None:
    assert read() == ("wal", FULL)
    assert not Attempt.objects.exists()


@sqlite_only
def test_all_code_opens_the_database_the_same_way() -> None:
    """Code that opens SQLite files itself would use its own durability settings."""
    root = Path(settings.BASE_DIR)
    sources = [path for part in ("accounts", "config", "games", "leaderboards") for path in (root / part).rglob("*.py")]
    assert len(sources) > 50
    assert [path.name for path in sources if re.search(r"\bsqlite3\.|import sqlite3", path.read_text())] == []
