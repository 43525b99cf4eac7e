"""Journal partitions: where moves go, when a partition is dropped, and that no move is lost.

Partitions exist on PostgreSQL only, so `tests/games/live/test_on_postgresql.py` runs this file in its own process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection, connections
from django.utils import timezone

from config.observability import state_metrics
from games import housekeeping, tasks
from games.attempts import journal_partitions
from games.attempts.journal_partitions import LockedError, begin_day, drop_days
from games.attempts.lifecycle import close_attempt, journal_of, record_of, start_attempt
from games.core import retention
from games.live.journal_store import JournalEntry, JournalStore
from games.models import Attempt, Move
from tests.factories import make_deal

migration: Any = import_module("games.migrations.0001_squashed")

pytestmark = pytest.mark.django_db(transaction=True)

FIRST, SECOND, THIRD = (date(2026, 11, number) for number in (20, 21, 22))
LATER = timedelta(hours=4)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Reset the journal to the state after its migration, without days."""
    migrate(migration.join)
    migrate(migration.partition)
    yield
    if journal_partitions.days():
        migrate(migration.join)
        migrate(migration.partition)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up at once if a lock is not free."""
    monkeypatch.setattr(journal_partitions, "LOCK_WAIT", "20ms")
    monkeypatch.setattr(journal_partitions, "LOCK_TRIES", 2)
    monkeypatch.setattr(journal_partitions, "LOCK_PAUSE", 0.0)


@pytest.fixture
def store() -> Iterator[JournalStore]:
    store = JournalStore("default")
    yield store
    store.close()


@pytest.fixture
def other() -> Iterator[Any]:
    """A second connection, as of another process."""
    other = connections.create_connection("default")
    yield other
    other.close()


@pytest.fixture
def practice(player: Any) -> Callable[[], Attempt]:
    deal = make_deal()

    def begin() -> Attempt:
        return Attempt.objects.create(player=player, deal=deal, ranked=False, started_at=timezone.now())

    return begin


def migrate(step: Callable[[Any, Any], None]) -> None:
    step(None, SimpleNamespace(connection=connection, deferred_sql=[]))


def rows(sql: str, *params: str | int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def place_of(attempt: Attempt) -> set[str]:
    """Return the partitions that hold the attempt's moves."""
    return {
        name for (name,) in rows("SELECT tableoid::regclass::text FROM games_move WHERE attempt_id = %s", attempt.pk)
    }


def tables() -> set[str]:
    return {name for (name,) in rows("SELECT relname FROM pg_class WHERE relname ~ '^games_move' AND relkind = 'r'")}


def metric_value(metric: str) -> float:
    return next(figure.values[""] for figure in state_metrics._read(timezone.now()) if figure.name == metric)


def tokens(attempt: Attempt) -> list[str]:
    return [move.token for move in journal_of(attempt.pk)]


def in_parallel(*actions: Callable[[], object]) -> list[Any]:
    """Run all actions at the same time, each on its own connection, and return their results."""

    def act(action: Callable[[], object]) -> object:
        try:
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(act, actions))


def until(holds: Callable[[], bool], seconds: float = 30.0) -> bool:
    latest = time.monotonic() + seconds
    while not holds() and time.monotonic() < latest:
        time.sleep(0.001)
    return holds()


def play(store: JournalStore, attempt: Attempt, *ns: int) -> None:
    for n in ns:
        assert store.write([JournalEntry(attempt.pk, n, ("d",), n)]) == frozenset()


def test_each_day_has_a_partition_with_its_attempts_moves(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    before = practice()
    assert begin_day(FIRST)
    first = practice()
    assert not begin_day(FIRST)
    again = practice()
    assert begin_day(SECOND)
    second = practice()
    for attempt in (before, first, again, second):
        play(store, attempt, 1)
    places = [place_of(attempt) for attempt in (before, first, again, second)]
    assert places == [{"games_move_rest"}, {"games_move_20261120"}, {"games_move_20261120"}, {"games_move_20261121"}]
    assert again.pk == first.pk + 1
    assert [day.name for day in journal_partitions.days()] == ["games_move_20261120", "games_move_20261121"]


def test_numbers_continue_after_a_cut_short_start_of_day(
    practice: Callable[[], Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(journal_partitions, "_number_from", lambda _day: None)
        assert begin_day(FIRST)
    [day] = journal_partitions.days()
    assert practice().pk < (day.low or 0)
    assert not begin_day(FIRST)
    assert practice().pk == day.low


def test_numbers_are_not_reused_after_a_day_is_dropped(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    begin_day(FIRST)
    attempt, tab = practice(), JournalStore("default")
    begin_day(SECOND)
    play(store, attempt, 1)
    assert tab.write([JournalEntry(attempt.pk, 1, ("n",), 5)]) == {attempt.pk}
    assert drop_days(timezone.now() + LATER) == 1
    assert tab.write([JournalEntry(attempt.pk, 1, ("n",), 5)]) == {attempt.pk}
    play(tab, attempt, 2)
    assert store.write([JournalEntry(attempt.pk, 2, ("n",), 5)]) == {attempt.pk}
    assert tokens(attempt) == ["d", "d"]
    tab.close()


def test_the_operator_sees_the_number_of_stored_days(practice: Callable[[], Attempt]) -> None:
    seen = []
    for day in (FIRST, SECOND):
        begin_day(day)
        practice()
        seen.append(metric_value("talon_journal_days"))
    drop_days(timezone.now() + LATER)
    assert [*seen, metric_value("talon_journal_days")] == [1, 2, 1]


def test_a_settled_day_is_dropped_and_open_games_continue(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    begin_day(FIRST)
    over, still = practice(), practice()
    begin_day(SECOND)
    young = practice()
    for attempt in (over, still, young):
        play(store, attempt, 1, 2)
    close_attempt(over.pk, "resigned")
    assert drop_days(timezone.now() + LATER) == 1
    assert tables() == {"games_move_rest", "games_move_20261121", "games_move_default"}
    assert sorted(Move.objects.values_list("attempt_id", "n")) == [(a.pk, n) for a in (still, young) for n in (1, 2)]
    play(store, still, 3)
    assert place_of(still) == {"games_move_rest"}
    assert len(record_of(close_attempt(still.pk, "resigned")).tokens) == 3
    assert len(record_of(Attempt.objects.get(pk=over.pk)).tokens) == 2


def test_the_default_partition_is_emptied_in_turn(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    old, still = practice(), practice()
    play(store, old, 1)
    play(store, still, 1)
    for day in (FIRST, SECOND):
        begin_day(day)
        practice()
    assert drop_days(timezone.now() + LATER) == 1
    close_attempt(old.pk, "resigned")
    begin_day(THIRD)
    assert drop_days(timezone.now() + LATER) == 1
    assert list(Move.objects.values_list("attempt_id", "n")) == [(still.pk, 1)]
    assert tables() == {"games_move_rest", "games_move_20261122", "games_move_default"}


def test_several_overdue_days_are_dropped_together(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    begun = []
    for day in (FIRST, SECOND, THIRD):
        begin_day(day)
        begun.append(practice())
        play(store, begun[-1], 1)
    assert drop_days(timezone.now() + LATER) == 2
    assert [place_of(attempt) for attempt in begun] == [{"games_move_rest"}] * 2 + [{"games_move_20261122"}]


def test_the_newest_day_and_days_with_young_attempts_stay(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    begin_day(FIRST)
    early, late = practice(), practice()
    Attempt.objects.filter(pk=early.pk).update(started_at=timezone.now() - timedelta(days=1))
    assert drop_days(timezone.now() + timedelta(days=9)) == 0
    begin_day(SECOND)
    assert drop_days() == 0
    assert drop_days(late.started_at + journal_partitions.SETTLED) == 0
    assert drop_days(late.started_at + journal_partitions.SETTLED + timedelta(seconds=1)) == 1


def test_games_closed_within_the_hour_keep_their_rows(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    now = timezone.now()
    begin_day(FIRST)
    just, long_ago = practice(), practice()
    for attempt, minutes in ((just, 59), (long_ago, 61)):
        play(store, attempt, 1)
        close_attempt(attempt.pk, "resigned")
        Attempt.objects.filter(pk=attempt.pk).update(
            started_at=now - LATER, finished_at=now - timedelta(minutes=minutes)
        )
    begin_day(SECOND)
    assert drop_days(now) == 1
    assert list(Move.objects.values_list("attempt_id", "n", "token").order_by("n")) == [
        (just.pk, 1, "d"),
        (just.pk, 2, ""),
    ]


def test_moves_and_ends_during_the_carry_over_are_kept(
    store: JournalStore, practice: Callable[[], Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_day(FIRST)
    played, untouched, ended, deleted = (practice() for _ in range(4))
    begin_day(SECOND)
    for attempt in (played, ended, deleted):
        play(store, attempt, 1)
    lock = journal_partitions._lock

    def others() -> None:
        tab = JournalStore("default")
        play(tab, played, 2, 3)
        play(tab, untouched, 1)
        play(tab, ended, 2)
        tab.close()
        close_attempt(ended.pk, "resigned", at=timezone.now() + LATER)
        Attempt.objects.get(pk=deleted.pk).delete()

    def meanwhile(*args: Any) -> None:
        in_parallel(others)
        lock(*args)

    monkeypatch.setattr(journal_partitions, "_lock", meanwhile)
    assert drop_days(timezone.now() + LATER) == 1
    assert [len(tokens(attempt)) for attempt in (played, untouched, ended)] == [3, 1, 2]
    assert Move.objects.filter(attempt=ended, token="").exists()
    assert len(record_of(Attempt.objects.get(pk=ended.pk)).tokens) == 2
    # Copies of rows of an attempt deleted in between may remain for a moment.
    retention.remove_aged([kind for kind in housekeeping.KINDS if kind.model is Move])
    assert not Move.objects.filter(attempt_id=deleted.pk).exists()


@pytest.mark.parametrize("change", ["begin", "drop"])
def test_a_long_running_reader_blocks_the_drop(
    change: str, store: JournalStore, practice: Callable[[], Attempt], other: Any
) -> None:
    begin_day(FIRST)
    attempt = practice()
    play(store, attempt, 1)
    begin_day(SECOND)
    there = tables()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT count(*) FROM games_move")  # takes the same lock as a backup
        with pytest.raises(LockedError):
            begin_day(THIRD) if change == "begin" else drop_days(timezone.now() + LATER)
        assert tables() == there
        play(store, attempt, 2)
        cursor.execute("ROLLBACK")
    assert begin_day(THIRD) if change == "begin" else drop_days(timezone.now() + LATER) == 1
    assert len(tokens(attempt)) == 2


@pytest.mark.parametrize("change", ["begin", "drop"])
def test_the_tasks_leave_a_locked_journal_for_later(
    change: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    task = {"begin": tasks.begin_journal_day, "drop": tasks.drop_journal_days}[change]
    function = {"begin": "begin_day", "drop": "drop_days"}[change]
    monkeypatch.setattr(journal_partitions, function, Mock(side_effect=LockedError))
    task()
    assert "locked by another process" in caplog.text


def test_only_one_worker_changes_partitions(practice: Callable[[], Attempt], other: Any) -> None:
    begin_day(FIRST)
    practice()
    begin_day(SECOND)
    there = tables()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [journal_partitions._TURN])
        assert not begin_day(THIRD)
        assert drop_days(timezone.now() + LATER) == 0
        assert tables() == there
        cursor.execute("ROLLBACK")
    assert in_parallel(*[lambda: begin_day(THIRD)] * 4).count(True) == 1
    assert len(tables() - there) == 1
    assert practice().pk == journal_partitions.days()[-1].low


def test_numbers_beyond_all_days_push_up_the_next_day(store: JournalStore, practice: Callable[[], Attempt]) -> None:
    begin_day(FIRST)
    rows("SELECT setval(pg_get_serial_sequence('games_attempt', 'id'), %s)", journal_partitions.days()[0].high + 5)
    far = practice()
    play(store, far, 1)
    assert place_of(far) == {"games_move_default"}
    assert begin_day(SECOND)
    play(store, far, 2)
    assert practice().pk == journal_partitions.days()[-1].low
    assert drop_days(timezone.now() + LATER) == 1
    assert len(record_of(close_attempt(far.pk, "resigned")).tokens) == 2


def test_a_deleted_player_leaves_no_moves(
    player: Any, rival: Any, store: JournalStore, practice: Callable[[], Attempt]
) -> None:
    mine = [practice()]
    for day in (FIRST, SECOND):
        begin_day(day)
        mine.append(practice())
    theirs = start_attempt(rival, make_deal("braid"))
    for attempt in (*mine, theirs):
        play(store, attempt, 1)
    player.delete()
    assert list(Move.objects.values_list("attempt_id", flat=True)) == [theirs.pk]


def test_orphan_rows_are_deleted_or_dropped_with_their_day(
    store: JournalStore, practice: Callable[[], Attempt]
) -> None:
    begun = [practice()]
    for day in (FIRST, SECOND):
        begin_day(day)
        begun.append(practice())
    for attempt in begun:
        Move.objects.create(attempt_id=attempt.pk + 1000, n=1, token="d", ms=1)
    retention.remove_aged([kind for kind in housekeeping.KINDS if kind.model is Move])
    left = list(Move.objects.order_by("attempt_id").values_list("attempt_id", flat=True))
    assert left == [attempt.pk + 1000 for attempt in begun[1:]]
    assert drop_days(timezone.now() + LATER) == 1
    assert list(Move.objects.values_list("attempt_id", flat=True)) == left[1:]


def test_no_move_is_lost_while_days_begin_and_end(
    practice: Callable[[], Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = [practice() for _ in range(4)]
    Attempt.objects.filter(pk__in=[attempt.pk for attempt in begun]).update(started_at=timezone.now() - LATER)
    written: dict[int, int] = dict.fromkeys((attempt.pk for attempt in begun), 0)
    stop = threading.Event()

    def play_on(mine: list[Attempt]) -> None:
        tab = JournalStore("default")
        while not stop.is_set():
            for attempt in mine:
                play(tab, attempt, written[attempt.pk] + 1)
                written[attempt.pk] += 1
        tab.close()

    def all_moved(since: dict[int, int]) -> bool:
        return all(written[key] > since[key] for key in since)

    steps: list[Callable[[], object]] = [
        lambda: begin_day(FIRST),
        lambda: begin_day(SECOND),
        drop_days,
    ]

    def change() -> None:
        try:
            for step in steps:
                seen = dict(written)
                assert until(partial(all_moved, seen)), "no move can be written"
                step()
        finally:
            stop.set()

    monkeypatch.setattr(journal_partitions, "LOCK_TRIES", 1000)
    in_parallel(change, lambda: play_on(begun[:2]), lambda: play_on(begun[2:]))
    assert {attempt.pk: len(tokens(attempt)) for attempt in begun} == written
    assert journal_partitions.is_by_day()


def test_finished_games_are_not_deleted_row_by_row(
    store: JournalStore, practice: Callable[[], Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = practice()
    play(store, attempt, 1)
    close_attempt(attempt.pk, "resigned", at=attempt.started_at)
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now() - LATER)
    tasks.close_due()
    assert Move.objects.count() == 2
    migrate(migration.join)
    tasks.close_due()
    assert Move.objects.count() == 0


def test_a_day_begins_before_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = datetime(2026, 11, 20, 23, 59, 5, tzinfo=UTC)
    monkeypatch.setattr(tasks, "timezone", SimpleNamespace(now=lambda: moment))
    tasks.begin_journal_day()
    assert [day.name for day in journal_partitions.days()] == ["games_move_20261121"]
    moment -= timedelta(minutes=2)
    tasks.begin_journal_day()
    assert len(journal_partitions.days()) == 2
