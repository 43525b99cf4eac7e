from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.cache import cache
from django.utils import timezone

from games.attempts import verification
from games.core import metrics
from games.db.statements import run_in_order
from games.models import Attempt
from leaderboards import tasks
from leaderboards.boards import deal_boards, entries, histogram, relisting
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.rank_keys import BOARDS, BoardScore
from leaderboards.models import DealBoard, Result
from leaderboards.verdicts import pending_sweep, settlement
from leaderboards.verdicts.decisions import NotDecidableError, decide, staff_decision
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle, settle
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal, won_records

State = Attempt.State
pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Any]]]:
    found: list[tuple[str, list[Any]]] = []
    monkeypatch.setattr(
        "celery.current_app.send_task", lambda name, args=(), **_options: found.append((name, list(args)))
    )
    return found


def doubtful(deal: Any, **fields: Any) -> Attempt:
    return factories.finished(deal, record=factories.superhuman(deal), **fields)


def whole(deal: Any) -> None:
    for board in BOARDS:
        assert histogram.faults(deal_listing(deal.pk, board)) == []


def test_a_verdict_completes_and_ranks_the_attempt() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    assert settle(attempt.pk) == State.VERIFIED
    attempt.refresh_from_db()
    assert attempt.verified_at is not None
    (entry,) = deal_boards.page(attempt.deal).entries
    assert (entry.rank, entry.attempt) == (1, attempt.public_id)
    assert (entry.cards_up, entry.elapsed_ms, entry.tokens) == (attempt.cards_up, attempt.elapsed_ms, attempt.tokens)
    assert entry.finished_at == attempt.finished_at
    whole(attempt.deal)


@pytest.fixture
def notified(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []

    def send(group: str, message: dict[str, Any], about: object = None) -> None:
        found.append((group, message))

    monkeypatch.setattr("leaderboards.verdicts.settlement.notifier.send", send)
    return found


def counted(state: State) -> float:
    return float(metrics.VERDICTS.labels(state=state)._value.get())


def test_player_and_watchers_are_notified_after_the_commit(
    notified: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    deal = make_deal("stonewall", DAY)
    factories.listed(deal, BoardScore(104, 1, 1))
    attempt = factories.finished(deal)
    before = counted(State.VERIFIED)
    with django_capture_on_commit_callbacks() as callbacks:
        settle(attempt.pk)
    assert notified == []
    for callback in callbacks:
        callback()
    attempt.refresh_from_db()
    verdict = {
        "type": "attempt.verdict",
        "attempt": attempt.public_id.hex,
        "state": "verified",
        "reasons": [],
        "rank": 2,
        "ladder": "established",
        "cards_up": attempt.cards_up,
        "elapsed_ms": attempt.elapsed_ms,
        "tokens": attempt.tokens,
    }
    assert (f"attempt.{attempt.public_id.hex}", verdict) in notified
    assert (entries.board_group(deal.pk), {"type": "board.changed", "deal": deal.pk}) in notified
    assert counted(State.VERIFIED) == before + 1


def test_a_verdict_without_a_rank_is_sent_and_ends_pending(
    notified: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    deal = make_deal("stonewall", DAY)
    attempt = factories.finished(deal, record=factories.record_of(deal, ["u"]))
    with django_capture_on_commit_callbacks(execute=True):
        settle(attempt.pk)
    (verdict,) = [message for group, message in notified if group.startswith("attempt.")]
    assert [verdict[key] for key in ("state", "rank", "cards_up", "elapsed_ms", "tokens")] == ["rejected", *[None] * 4]
    assert verdict["reasons"][0]["code"] == "replay_failed"
    assert entries.board_group(deal.pk) in {group for group, _message in notified}
    attempt.refresh_from_db()
    assert (attempt.state, attempt.reasons[0]["code"], attempt.cards_up) == (State.REJECTED, "replay_failed", None)
    assert deal_boards.page(deal).entries == []


def test_an_unchanged_result_keeps_its_row_and_sends_its_rank(
    notified: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    deal = make_deal("stonewall", DAY)
    factories.listed(deal, BoardScore(104, 1, 1))
    attempt = factories.settled(deal)
    result = Result.objects.get(attempt=attempt)
    with django_capture_on_commit_callbacks(execute=True):
        decide(attempt.pk, State.VERIFIED, "ada")
    assert Result.objects.get(attempt=attempt).pk == result.pk
    assert [message["rank"] for group, message in notified if group.startswith("attempt.")] == [2]


def test_only_a_first_verdict_is_timed(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    timed: list[float] = []
    monkeypatch.setattr(metrics.VERIFY_SECONDS, "observe", timed.append)
    ended = timezone.now() - timedelta(minutes=5)
    attempt = factories.finished(make_deal("stonewall", DAY), started_at=ended)
    assert attempt.finished_at is not None
    before = timezone.now()
    with django_capture_on_commit_callbacks(execute=True):
        settle(attempt.pk)
    assert len(timed) == 1
    waited, at_most = ((moment - attempt.finished_at).total_seconds() for moment in (before, timezone.now()))
    assert waited <= timed[0] <= at_most
    with django_capture_on_commit_callbacks(execute=True):
        decide(attempt.pk, State.REJECTED, "ada")
    assert len(timed) == 1


def test_only_recomputable_verdicts_skip_the_disk_flush(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A staff decision cannot be recomputed from a record."""
    executed: list[str] = []

    def written(statements: Any) -> Any:
        executed.extend(sql for sql, _ in statements)
        lock, *others = statements
        assert lock[0].endswith(" ORDER BY id FOR NO KEY UPDATE")
        known = [(lock[0].removesuffix(" FOR NO KEY UPDATE"), lock[1]), *others]
        return run_in_order([one for one in known if not one[0].startswith("SET LOCAL")])  # SQLite knows neither

    attempt = factories.finished(make_deal("stonewall", DAY))
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "connection", SimpleNamespace(vendor="postgresql"))
        patch.setattr(settlement, "run_in_order", written)
        settle(attempt.pk)
        assert "SET LOCAL synchronous_commit TO off" in executed
        executed.clear()
        decide(attempt.pk, State.REJECTED, "ada")
    assert len(executed) == 2
    assert not any("synchronous_commit" in sql for sql in executed)


def test_boards_are_changed_in_the_order_of_their_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers that settle the same deals in opposite orders would deadlock."""
    deals = [make_deal("plot", DAY), make_deal("braid", DAY)]
    attempts = [factories.finished(of) for of in (deals[1], deals[0], deals[1])]
    places, held = settlement._place_all, list[tuple[int, int]]()

    def placed(cases: Any, players: Any) -> Any:
        held.extend((case.attempt.deal_id, case.attempt.pk) for case in cases)
        return places(cases, players)

    monkeypatch.setattr(settlement, "_place_all", placed)
    cases = [settlement.Case(one, AttemptVerdict.of(one, verification.judge(one))) for one in attempts]
    assert len(settlement.settle_all(cases, expected=State.PENDING)) == 3
    assert held == sorted(held)
    for attempt in attempts:
        assert attempt.public_id in {entry.attempt for entry in deal_boards.page(attempt.deal).entries}


def test_another_workers_concurrent_verdict_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    compare = verification.compare

    def overtaken(judged: Any) -> Any:
        Attempt.objects.filter(pk=attempt.pk).update(state=State.REVIEW)
        return compare(judged)

    monkeypatch.setattr(settlement, "compare", overtaken)
    assert settle(attempt.pk) == State.REVIEW
    assert Result.objects.count() == 0


def test_an_attempt_just_moved_is_not_settled_for_the_old_player() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    stale = Attempt.objects.select_related("deal").get(pk=attempt.pk)
    Attempt.objects.filter(pk=attempt.pk).update(player=make_account())
    assert not do_settle(stale, AttemptVerdict.of(stale, verification.judge(stale)), expected=State.PENDING)
    assert settle(attempt.pk) == State.VERIFIED


@pytest.mark.parametrize("state", [State.VERIFIED, State.REJECTED, State.REVIEW])
def test_judged_attempts_are_left_alone(state: State) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY), state=state)
    assert settle(attempt.pk) == state
    assert Result.objects.count() == 0


def test_running_and_unknown_attempts_are_left_alone() -> None:
    playing = Attempt.objects.create(
        deal=make_deal("stonewall", DAY),
        player=make_account(),
        ranked=True,
        started_at=timezone.now(),
    )
    assert settle(playing.pk) == State.PLAYING
    assert settle(0) is None


def test_an_unranked_attempt_is_verified_and_not_ranked() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY), ranked=False)
    assert settle(attempt.pk) == State.VERIFIED
    assert Result.objects.count() == 0


@pytest.mark.parametrize("fields", [{"is_guest": True}, {"banned_at": NOON}])
def test_guests_and_banned_players_are_ranked_once_permitted(fields: dict[str, Any]) -> None:
    who = make_account(**fields)
    attempt = factories.finished(make_deal("stonewall", DAY), who=who)
    assert settle(attempt.pk) == State.VERIFIED
    assert deal_boards.page(attempt.deal).entries == []
    assert deal_boards.rank_of(attempt.deal, "race", who) is None
    who.is_guest, who.banned_at = False, None
    who.save()
    assert relisting.relist_player(who) == 1
    assert relisting.relist_player(who) == 0
    assert deal_boards.rank_of(attempt.deal, "race", who) == 1
    whole(attempt.deal)


def test_a_doubtful_attempt_waits_for_staff() -> None:
    deal = make_deal("braid", DAY)
    attempt = doubtful(deal)
    assert settle(attempt.pk) == State.REVIEW
    assert deal_boards.page(deal).entries == []
    assert [entry.status for entry in deal_boards.waiting(deal)] == ["review"]
    decide(attempt.pk, State.VERIFIED, "ada", "Watched the replay.")
    attempt.refresh_from_db()
    assert [entry.rank for entry in deal_boards.page(deal).entries] == [1]
    assert deal_boards.waiting(deal) == []
    assert staff_decision(attempt) == State.VERIFIED
    assert {"burst", "staff"} <= {reason["code"] for reason in attempt.reasons}
    whole(deal)


def test_staff_may_reject_a_verified_result_and_restore_it() -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    decide(attempt.pk, State.REJECTED, "ada")
    assert deal_boards.page(attempt.deal).entries == []
    decide(attempt.pk, State.VERIFIED, "ada")
    assert [entry.rank for entry in deal_boards.page(attempt.deal).entries] == [1]
    attempt.refresh_from_db()
    assert len([reason for reason in attempt.reasons if reason["code"] == "staff"]) == 1
    whole(attempt.deal)


def test_staff_decide_only_judged_attempts_and_only_finally() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    with pytest.raises(NotDecidableError):
        decide(attempt.pk, State.VERIFIED, "ada")
    settle(attempt.pk)
    with pytest.raises(NotDecidableError):
        decide(attempt.pk, State.PENDING, "ada")


def test_an_unjudgeable_record_goes_to_review_after_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt, other = (
        factories.finished(make_deal("stonewall", DAY)),
        factories.finished(make_deal("braid", DAY)),
    )
    judge = verification.judge_alone

    def poisoned(one: Attempt) -> Any:
        if one.pk == attempt.pk:
            raise ZeroDivisionError("poison")
        return judge(one)

    monkeypatch.setattr(settlement, "judge_alone", poisoned)
    tasks.verify.apply([attempt.pk], retries=tasks.RETRIES)
    assert settle(other.pk) == State.VERIFIED
    attempt.refresh_from_db()
    assert attempt.state == State.REVIEW
    assert attempt.reasons[0]["code"] == "not_verifiable"


def test_an_error_is_retried_before_the_review(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    failures = iter([OSError("database away"), None])
    judge = verification.judge_alone

    def shaky(one: Attempt) -> Any:
        if (error := next(failures)) is not None:
            raise error
        return judge(one)

    monkeypatch.setattr(settlement, "judge_alone", shaky)
    tasks.verify.apply([attempt.pk])  # without a queue, retries run at once
    attempt.refresh_from_db()
    assert attempt.state == State.VERIFIED


def test_a_killed_worker_loses_no_verification() -> None:
    assert tasks.verify.soft_time_limit < tasks.verify.time_limit < 60
    assert tasks.verify.acks_late
    assert tasks.verify.reject_on_worker_lost


def test_the_sweep_resends_pending_attempts(sent: list[Any]) -> None:
    deal = make_deal("stonewall", DAY)
    lost = factories.finished(deal)
    factories.finished(deal, started_at=timezone.now() - pending_sweep.PATIENCE / 2)
    factories.settled(deal)
    assert pending_sweep.resend_pending() == 1
    assert sent == [("talon.verify", [lost.pk])]


def test_after_an_outage_recent_attempts_are_resent_once(sent: list[Any]) -> None:
    cache.add("talon.sweep", 1)  # a sweep has just run
    recent = factories.finished(make_deal("stonewall", DAY), started_at=timezone.now() - pending_sweep.PATIENCE / 2)
    assert [pending_sweep.sweep(after_outage=True) for _ in range(2)] == [1, 0]
    assert sent == [("talon.verify", [recent.pk])]
    cache.clear()


def test_an_attempt_that_kills_workers_ends_in_review(sent: list[Any]) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    for _ in range(pending_sweep.MAX_TRIES):
        assert pending_sweep.resend_pending() == 1
    assert pending_sweep.resend_pending() == 0
    attempt.refresh_from_db()
    assert attempt.state == State.REVIEW
    assert len(sent) == pending_sweep.MAX_TRIES


def test_each_retry_waits_longer(sent: list[Any]) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    assert attempt.finished_at
    soon = attempt.finished_at + pending_sweep.PATIENCE * 1.5
    assert pending_sweep.resend_pending(soon) == 1
    assert pending_sweep.resend_pending(soon) == 0
    assert pending_sweep.resend_pending(attempt.finished_at + pending_sweep.PATIENCE * 2.5) == 1


def test_piled_up_sweeps_count_as_one(sent: list[Any]) -> None:
    cache.clear()
    factories.finished(make_deal("stonewall", DAY))
    assert [pending_sweep.sweep() for _ in range(5)] == [1, 0, 0, 0, 0]
    cache.clear()


def test_a_task_also_settles_the_oldest_waiting_attempts() -> None:
    deal = make_deal("stonewall", DAY)
    waiting = [
        factories.finished(deal, tokens=factories.line(deal, 10 + n), started_at=NOON + timedelta(minutes=n))
        for n in range(4)
    ]
    assert settle(waiting[3].pk, max_others=2) == State.VERIFIED
    for attempt in waiting:
        attempt.refresh_from_db()
    assert [attempt.state for attempt in waiting] == [State.VERIFIED, State.VERIFIED, State.PENDING, State.VERIFIED]
    assert [entry.rank for entry in deal_boards.page(deal).entries] == [1, 2, 3]
    assert DealBoard.objects.get(deal=deal).version == 3
    whole(deal)


def test_a_late_task_also_settles_waiting_attempts() -> None:
    done, other = (
        factories.finished(make_deal("stonewall", DAY)),
        factories.finished(make_deal("braid", DAY)),
    )
    settle(done.pk)
    assert settle(done.pk, max_others=5) == State.VERIFIED
    assert settle(other.pk) == State.VERIFIED
    assert Result.objects.count() == 2


def test_batched_attempts_are_judged_as_if_alone() -> None:
    line = won_records("tarot")[0]
    deal = make_deal("tarot", DAY, seed=line.seed)
    record = factories.record_of(deal, line.tokens, end="won")
    first = factories.finished(deal, record=record)
    copy = factories.finished(deal, record=record, started_at=NOON + timedelta(minutes=1))
    broken = factories.finished(deal, record=factories.record_of(deal, ["u"]))
    banned = factories.finished(deal, who=make_account(banned_at=NOON))
    settle(first.pk, max_others=9)
    states = [Attempt.objects.get(pk=one.pk).state for one in (first, copy, broken, banned)]
    assert states == [State.VERIFIED, State.REVIEW, State.REJECTED, State.VERIFIED]
    assert [entry.attempt for entry in deal_boards.page(deal).entries] == [first.public_id]
    whole(deal)


def test_an_unjudgeable_attempt_is_batched_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = make_deal("stonewall", DAY)
    poisoned, first, second = (factories.finished(deal, tokens=factories.line(deal, 10 + n)) for n in range(3))
    tried: list[int] = []
    judge = verification.judge_alone

    def poison(one: Attempt) -> Any:
        tried.append(one.pk)
        if one.pk == poisoned.pk:
            raise ZeroDivisionError("poison")
        return judge(one)

    monkeypatch.setattr(settlement, "judge_alone", poison)
    assert settle(first.pk, max_others=1) == State.VERIFIED
    assert settle(second.pk, max_others=1) == State.VERIFIED
    assert tried == [poisoned.pk, first.pk, second.pk]
    with pytest.raises(ZeroDivisionError):
        settle(poisoned.pk, max_others=1)


def test_a_time_limit_during_a_batch_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    first, slow = (
        factories.finished(make_deal("stonewall", DAY)),
        factories.finished(make_deal("braid", DAY)),
    )

    def limited(one: Attempt) -> Any:
        assert one.pk == slow.pk
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(settlement, "judge_alone", limited)
    with pytest.raises(SoftTimeLimitExceeded):
        settle(first.pk, max_others=1)


def test_a_time_limit_during_a_recount_request_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(*_args: Any, **_options: Any) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr("celery.current_app.send_task", limited)
    monkeypatch.setattr(entries, "_recount_requested", -entries.RECOUNT_EVERY)
    with pytest.raises(SoftTimeLimitExceeded):
        entries.announce(make_deal("stonewall", DAY).pk)


def test_the_task_settles_a_batch() -> None:
    first, second = (
        factories.finished(make_deal("stonewall", DAY)),
        factories.finished(make_deal("braid", DAY)),
    )
    tasks.verify.apply([first.pk])
    second.refresh_from_db()
    assert second.state == State.VERIFIED
