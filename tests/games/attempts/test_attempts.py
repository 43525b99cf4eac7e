"""Attempts: start, close, the stored record, and the journal of SQLite."""

from __future__ import annotations

from datetime import date, timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games import tasks
from games.attempts import journal_partitions
from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import (
    DealClosedError,
    NotWonError,
    auto_runs,
    close_attempt,
    close_due,
    purge_journal,
    record_of,
    restart_practice,
    start_attempt,
)
from games.core import events, metrics
from games.deals.publishing import practice_deal
from games.models import GRACE, Attempt, Deal, Move
from games.rules import open_table, replay
from tests.concurrency import run_together
from tests.factories import make_deal
from tests.games.conftest import Play
from tests.games.labyrinths import easy_labyrinth

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    ids: list[int] = []
    monkeypatch.setattr(events, "request_verdict", ids.append)
    return ids


def journal(attempt: Attempt, *tokens: str, step: int = 100, auto_from: int = 10**6) -> None:
    Move.objects.bulk_create(
        Move(attempt=attempt, n=n, token=token, ms=n * step, auto=n >= auto_from) for n, token in enumerate(tokens, 1)
    )


def test_the_first_daily_attempt_is_ranked_and_unique(player: Any) -> None:
    deal = make_deal()
    first = start_attempt(player, deal)
    assert deal.closes_at is not None
    assert (first.ranked, first.state, first.deadline) == (True, "playing", deal.closes_at + GRACE)
    assert start_attempt(player, deal).pk == first.pk
    close_attempt(first.pk, "resigned")
    assert start_attempt(player, deal).pk == first.pk


def test_a_merged_attempt_is_used_unless_a_ranked_one_exists(player: Any) -> None:
    deal = make_deal()
    taken = Attempt.objects.create(player=player, deal=deal, ranked=False, started_at=timezone.now())
    assert start_attempt(player, deal).pk == taken.pk
    assert Attempt.objects.count() == 1
    ranked = Attempt.objects.create(player=player, deal=deal, ranked=True, started_at=timezone.now())
    assert start_attempt(player, deal).pk == ranked.pk


def test_two_tabs_that_begin_at_once_get_one_attempt(player: Any) -> None:
    deal = make_deal()
    first, *others = run_together(*[lambda: start_attempt(player, deal).pk] * 4)
    assert isinstance(first, int)
    assert others == [first] * 3


def test_a_closed_deal_is_practice_only_after_its_hour_of_grace(player: Any, yesterday: Deal) -> None:
    practice = start_attempt(player, yesterday)
    assert (practice.ranked, practice.deadline) == (False, None)
    assert start_attempt(player, yesterday).pk == practice.pk  # the running one
    close_attempt(practice.pk, "resigned")
    assert start_attempt(player, yesterday).pk != practice.pk
    today = make_deal("plot")
    assert today.opens_at is not None
    assert today.closes_at is not None
    for now in (today.opens_at - timedelta(seconds=1), today.closes_at, today.closes_at + GRACE / 2):
        with pytest.raises(DealClosedError):
            start_attempt(player, today, now=now)


def test_a_ranked_game_cannot_restart(player: Any, attempt_at: Play) -> None:
    ranked = attempt_at("braid")
    journal(ranked, "d")
    assert restart_practice(player, ranked.deal).pk == ranked.pk
    ranked.refresh_from_db()
    assert ranked.state == "playing"


def test_the_record_equals_the_journal(attempt_at: Play, seed: bytes, requested: list[int]) -> None:
    attempt = attempt_at("braid", seed)
    journal(attempt, "d", "d", "u", "d")
    closed = close_attempt(attempt.pk, "resigned", at=attempt.started_at + timedelta(seconds=9))
    record = record_of(closed)
    assert (record.tokens, record.clock) == (("d", "d", "u", "d"), (100, 200, 300, 400))
    assert (record.seed, record.name, record.end.how, record.end.ms) == (seed, "braid", "resigned", 9000)
    assert (closed.state, closed.end) == ("pending", "resigned")
    assert closed.finished_at == attempt.started_at + timedelta(seconds=9)
    assert replay(record).ok
    assert requested == [attempt.pk]


def test_closing_twice_changes_nothing(attempt_at: Play, requested: list[int]) -> None:
    attempt = attempt_at()
    first = close_attempt(attempt.pk, "resigned")
    second = close_attempt(attempt.pk, "closed")
    assert (second.end, bytes(second.record or b"")) == ("resigned", bytes(first.record or b""))
    assert requested == [attempt.pk]


@pytest.mark.parametrize("lost", [attempts._TRIES - 1, attempts._TRIES])
def test_a_close_racing_with_moves_is_retried(attempt_at: Play, monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    attempt, close, tries = attempt_at(), attempts._close, []

    def racing(*arguments: Any) -> Attempt:
        tries.append(arguments)
        if len(tries) <= lost:
            raise IntegrityError("a move came first")
        return close(*arguments)

    monkeypatch.setattr(attempts, "_close", racing)
    if lost < attempts._TRIES:
        assert close_attempt(attempt.pk, "resigned").end == "resigned"
    else:
        with pytest.raises(IntegrityError):
            close_attempt(attempt.pk, "resigned")
    assert len(tries) == attempts._TRIES


def test_a_move_during_the_close_is_in_the_record(attempt_at: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt, read, stale = attempt_at("braid"), attempts.journal_of, iter([True])
    journal(attempt, "d", "d")
    monkeypatch.setattr(attempts, "journal_of", lambda pk: read(pk)[: -1 if next(stale, False) else None])
    assert record_of(close_attempt(attempt.pk, "resigned")).tokens == ("d", "d")
    assert [(row.n, row.token) for row in read(attempt.pk)] == [(1, "d"), (2, "d")]


def test_open_tables_are_notified_of_the_end(attempt_at: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(events, "notify_attempt", lambda *what, **data: calls.append((*what, data)))
    attempt = attempt_at("braid")
    journal(attempt, "d", "d")
    ms = record_of(close_attempt(attempt.pk, "resigned")).end.ms
    assert calls == [(attempt.public_id, "closed", {"n": 2, "how": "resigned", "ms": ms})]


def test_attempts_are_counted_by_game_rank_and_end(player: Any, yesterday: Deal) -> None:
    def counted() -> list[float]:
        started, finished = metrics.ATTEMPTS_STARTED, metrics.ATTEMPTS_FINISHED
        ranked, practised = started.labels("braid", "yes"), started.labels(yesterday.game, "no")
        return [one._value.get() for one in (ranked, practised, finished.labels("braid", "resigned"))]

    before, today = counted(), make_deal("braid")
    for _ in range(2):
        start_attempt(player, yesterday)
        close_attempt(start_attempt(player, today).pk, "resigned")
    assert [now - then for now, then in zip(counted(), before, strict=True)] == [1, 1, 1]


def test_an_end_is_never_before_the_last_token(attempt_at: Play) -> None:
    attempt = attempt_at("braid")
    journal(attempt, "d", "d", step=60_000)
    closed = close_attempt(attempt.pk, "closed", at=attempt.started_at)
    assert record_of(closed).end.ms == 120_000


def test_an_unwon_game_cannot_be_closed_as_won(attempt_at: Play, requested: list[int]) -> None:
    attempt = attempt_at()
    with pytest.raises(NotWonError):
        close_attempt(attempt.pk, "won")
    attempt.refresh_from_db()
    assert attempt.state == "playing"
    assert requested == []


@pytest.mark.parametrize("for_race", [False, True])
@pytest.mark.parametrize("deadline", [False, True])
def test_race_listeners_are_notified_of_race_attempts_only(
    player: Any, monkeypatch: pytest.MonkeyPatch, *, for_race: bool, deadline: bool
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(attempts, "race_attempt_closed", [lambda attempt: calls.append(attempt.pk)])
    now, deal = timezone.now(), make_deal("braid")
    Deal.objects.filter(pk=deal.pk).update(for_race=for_race)
    until = now + timedelta(hours=1) if deadline else None
    attempt = Attempt.objects.create(player=player, deal=deal, ranked=False, started_at=now, deadline=until)
    close_attempt(attempt.pk, "resigned")
    assert calls == ([attempt.pk] if for_race and deadline else [])


def test_a_won_journal_is_a_win_whatever_closes_it(attempt_at: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process died between the last token and the close."""
    table, tokens = easy_labyrinth()
    monkeypatch.setattr(attempts, "deal_table", lambda _: easy_labyrinth()[0])
    attempt = attempt_at("labyrinth")
    journal(attempt, *tokens, auto_from=41)
    closed = close_attempt(attempt.pk, "closed", at=timezone.now() + timedelta(days=1))
    record = record_of(closed)
    assert (closed.end, record.end.how, record.end.ms) == ("won", "won", record.clock[-1])
    assert closed.auto_runs == [[41, 48]]
    assert not table.is_won


def test_runs_of_auto_finish() -> None:
    moves = [Move(n=n, token="d", auto=n in {2, 3, 5, 8, 9}) for n in range(1, 10)]
    assert auto_runs(moves) == [[2, 3], [5, 5], [8, 9]]


def test_overdue_attempts_end_at_their_deadline(attempt_at: Play, player: Any, requested: list[int]) -> None:
    now = timezone.now()
    due = attempt_at("braid", started_at=now - timedelta(hours=3), deadline=now - timedelta(hours=1))
    journal(due, "d", "d")
    running = start_attempt(player, make_deal("plot"))
    assert close_due(now - timedelta(hours=2)) == (0, 0, False)
    assert close_due(now) == (1, 0, False)
    due.refresh_from_db()
    running.refresh_from_db()
    assert (due.state, due.end, due.finished_at) == ("pending", "closed", due.deadline)
    assert record_of(due).tokens == ("d", "d")
    assert running.state == "playing"
    assert close_due(now) == (0, 0, False)
    assert requested == [due.pk]


def test_one_failing_close_does_not_stop_the_others(attempt_at: Play, rival: Any, requested: list[int]) -> None:
    now = timezone.now()
    past = {"started_at": now - timedelta(hours=3), "deadline": now - timedelta(hours=1)}
    bad = attempt_at("braid", **past)
    journal(bad, "no token at"[:8])
    good = Attempt.objects.create(player=rival, deal=bad.deal, ranked=True, **past)
    assert close_due(now, batch=1, seconds=0) == (0, 1, True)
    assert close_due(now, batch=1) == (1, 1, False)
    assert close_due(now, seconds=0) == (0, 1, False)  # the failed one alone is no reason to run again at once
    assert requested == [good.pk]


def overdue(count: int) -> list[int]:
    now = timezone.now()
    deal, past = make_deal("braid"), {"started_at": now - timedelta(hours=3), "deadline": now - timedelta(hours=1)}
    return [Attempt.objects.create(player=create_guest(), deal=deal, ranked=True, **past).pk for _ in range(count)]


def test_overdue_attempts_are_closed_in_batches(player: Any, requested: list[int]) -> None:
    """A call stops after its time limit and reports that there is more; the next one continues."""
    due = overdue(3)
    assert close_due(seconds=0) == (1, 0, True)
    assert close_due(seconds=0) == (1, 0, True)
    assert close_due(seconds=0) == (1, 0, False)
    assert requested == due


def test_the_time_limit_keeps_finished_closes(
    player: Any, requested: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    due = overdue(3)
    close = attempts.close_attempt

    def slow(attempt_id: int, *args: Any, **kwargs: Any) -> Attempt:
        if attempt_id == due[1]:
            raise SoftTimeLimitExceeded
        return close(attempt_id, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(attempts, "close_attempt", slow)
        with pytest.raises(SoftTimeLimitExceeded):
            close_due()
    assert requested == due[:1]
    assert close_due() == (2, 0, False)


@pytest.mark.parametrize("more", [False, True])
def test_the_task_is_sent_again_while_there_is_more(more: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(attempts, "close_due", lambda: attempts.BatchProgress(1, 0, more))
    monkeypatch.setattr(events, "request_task", sent.append)
    tasks.close_due()
    assert sent == ["talon.close_due"] * more


def test_journals_are_purged_in_batches(attempt_at: Play, rival: Any) -> None:
    one = attempt_at("braid")
    for attempt in (one, start_attempt(rival, one.deal)):
        journal(attempt, "d")
        close_attempt(attempt.pk, "resigned")
    later = timezone.now() + timedelta(hours=2)
    assert purge_journal(later, batch=1, seconds=0) == (1, 0, True)
    assert purge_journal(later, batch=1, seconds=0) == (1, 0, False)
    assert not Move.objects.exists()


def test_the_journal_is_purged_after_an_hour(attempt_at: Play, player: Any) -> None:
    folded, running = attempt_at("braid"), start_attempt(player, make_deal("plot"))
    journal(folded, "d", "d")
    journal(running, "d")
    close_attempt(folded.pk, "resigned")
    assert purge_journal(timezone.now() + timedelta(minutes=59)).done == 0
    assert purge_journal(timezone.now() + timedelta(minutes=61)) == (1, 0, False)
    assert list(Move.objects.values_list("attempt_id", "n")) == [(running.pk, 1)]
    folded.refresh_from_db()
    assert len(record_of(folded).tokens) == 2


def test_a_queue_outage_does_not_fail_the_finish(attempt_at: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def send_task(self, *_: Any, **__: Any) -> None:
            raise ConnectionError("no broker")

    monkeypatch.setattr(events, "current_app", Down())
    assert close_attempt(attempt_at().pk, "resigned").state == "pending"


def test_nothing_is_announced_before_the_commit(attempt_at: Play, requested: list[int]) -> None:
    attempt = attempt_at()
    with transaction.atomic():
        close_attempt(attempt.pk, "resigned")
        assert requested == []
    assert requested == [attempt.pk]


def test_deleting_a_player_deletes_the_journal(attempt_at: Play) -> None:
    attempt = attempt_at()
    journal(attempt, "d")
    attempt.player.delete()
    assert not Move.objects.exists()


def test_end_and_record_are_stored_together(attempt_at: Play) -> None:
    attempt = attempt_at()
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(state="pending")


def test_a_practice_record_has_game_and_options(player: Any) -> None:
    deal = practice_deal("tarot", {"draw": 1, "fool": "trump"})
    attempt = start_attempt(player, deal)
    record = record_of(close_attempt(attempt.pk, "resigned"))
    assert (record.name, record.options) == ("tarot", {"first_row": True, "draw": 1, "fool": "trump"})
    assert open_table("tarot", record.seed, record.options).view() == attempts.deal_table(deal).view()


migration: Any = import_module("games.migrations.0001_squashed")


def tables() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name")
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has the journal in partitions")
def test_sqlite_has_one_table_and_deletes_its_rows(player: Any) -> None:
    before = tables()
    attempt = start_attempt(player, make_deal())
    Move.objects.create(attempt=attempt, n=1, token="d", ms=1)
    close_attempt(attempt.pk, "resigned")
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now() - timedelta(hours=2))
    tasks.begin_journal_day()
    tasks.drop_journal_days()
    assert not journal_partitions.begin_day(date(2026, 11, 20))
    assert journal_partitions.drop_days(timezone.now() + timedelta(days=9)) == 0
    assert journal_partitions.days() == []
    migration.partition(None, SimpleNamespace(connection=connection))
    assert tables() == before
    assert Move.objects.count() == 2
    tasks.close_due()
    assert not Move.objects.exists()
