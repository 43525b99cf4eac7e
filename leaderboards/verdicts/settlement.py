"""Settlement: turns a finished attempt into a verdict and a place on the boards.

Verdict and result change in one transaction, by compare-and-swap on the attempt's state. If a task is delivered twice,
late, or to two workers at once, exactly one settles the attempt and the others find nothing to do.

Locks are taken in the order given in `docs/boards.md`: players, attempts, deals' boards.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.utils import timezone

from games.attempts.verification import Judgement, compare, judge, judge_alone
from games.core import metrics
from games.core.events import notifier
from games.core.verdict_reasons import VerdictReason, for_player, reason
from games.db.replicas.write_positions import wrote
from games.db.statements import Statement, run_in_order, stored
from games.explorer.building import expire
from games.fairplay import copies, delays
from games.ghosts import challenges
from games.models import Attempt, Deal
from games.races import finishing
from leaderboards.boards import entries
from leaderboards.boards.deal_boards import rank_of
from leaderboards.boards.eligibility import is_real_play, ladder_sql
from leaderboards.boards.listings import set_score
from leaderboards.boards.rank_keys import DEAL, BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.pending_attempts import read_with_others
from leaderboards.verdicts.stakes import is_at_stake

log = logging.getLogger(__name__)
State = Attempt.State


# Every verdict runs these two, so they are plain SQL: composing them with the ORM takes longer than running them.
_LOCK: Final = "SELECT id, {fields} FROM {table} WHERE id IN ({ids}) ORDER BY id{lock}"
_SWAP: Final = (
    "UPDATE {table} SET state = %s, reasons = %s, cards_up = %s, elapsed_ms = %s, "
    "tokens = %s, progress_ms = %s, {digest} = %s, real_play = %s, verified_at = %s, "
    "ladder = COALESCE(ladder, {ladder}) "
    "WHERE id = %s AND state = %s AND player_id = %s RETURNING id, ladder"
)
#: Maximum clock skew between two workers' machines.
_CLOCKS_DIFFER: Final = timedelta(minutes=1)
_SCORED: Final = ("cards_up", "elapsed_ms", "tokens", "progress_ms", "race_key", "fewest_key")
MAX_OTHERS: Final = 15
"""Number of other pending attempts that a task settles besides its own: enough to share the cost of a transaction."""


@dataclass(frozen=True, slots=True)
class AttemptVerdict:
    """State for an attempt, the reasons, and the score of its replay."""

    state: State
    reasons: list[VerdictReason]
    score: BoardScore | None
    decisions_digest: bytes | None = None
    real_play: bool = False

    @classmethod
    def of(cls, attempt: Attempt, judgement: Judgement) -> AttemptVerdict:
        """Build the verdict that follows from a judgement: held if doubts are at stake for others."""
        played = judgement.replay
        if played is None or not played.ok:
            return cls(judgement.state, judgement.reasons, None, judgement.decisions_digest)
        score, real, state = BoardScore.of(played), is_real_play(played), judgement.state
        if state == State.VERIFIED and is_at_stake(attempt, judgement.reasons, score):
            state = State.REVIEW
        return cls(state, judgement.reasons, score, judgement.decisions_digest, real)


class Case(NamedTuple):
    """Attempt with its verdict."""

    attempt: Attempt
    verdict: AttemptVerdict

    @property
    def is_ranked(self) -> bool:
        """True if the verdict gives the attempt a place on the boards."""
        return self.attempt.ranked and self.verdict.state == State.VERIFIED and self.verdict.score is not None


def settle(attempt_id: int, max_others: int = 0) -> State | None:
    """Judge a pending attempt and settle it; return the state afterwards, or None if there is no such attempt.

    An attempt that is not pending stays unchanged. Up to `max_others` other pending attempts are settled too; one that
    cannot be judged is left to its own task.
    """
    started_at = timezone.now()
    attempt, others = read_with_others(attempt_id, max_others)
    judged = [(other, judgement) for other in others if (judgement := _judged_other(other))]
    if attempt is not None and attempt.state == State.PENDING:
        judged.append((attempt, judge_alone(attempt)))
    found = zip(judged, compare(judged), strict=True)
    cases = [Case(judged_attempt, AttemptVerdict.of(judged_attempt, verdict)) for (judged_attempt, _), verdict in found]
    settled = settle_all(cases, expected=State.PENDING, durable=False)
    ended = [case for case in cases if case.attempt.pk in settled]
    _settle_copies(ended, started_at)
    _settle_timers(ended)
    if attempt is None:
        return None
    if attempt.pk in settled:
        return settled[attempt.pk].state
    if attempt.state == State.PENDING:
        attempt.refresh_from_db(fields=["state"])
    return State(attempt.state)


def _settle_copies(cases: Sequence[Case], started_at: datetime) -> None:
    """Judge again the later of each pair of matching wins that may have been judged without seeing each other.

    That happens if both were judged concurrently, or a copy was judged before the win it copies. Staff decisions stay
    in force.
    """
    won = [
        (attempt, verdict.decisions_digest)
        for attempt, verdict in cases
        if verdict.decisions_digest and verdict.state == State.VERIFIED
    ]
    alike = copies.copies_since(won, started_at - _CLOCKS_DIFFER) if won else set()
    for attempt in Attempt.objects.select_related("deal").filter(pk__in=alike).order_by("pk") if alike else ():
        if not attempt.reasons and copies.can_be_copy(attempt):
            _settle_doubts(attempt)


def _settle_timers(cases: Sequence[Case]) -> None:
    """Judge again the other games of the last week of players whose delays turned out to be a timer's."""
    for attempt, verdict in cases:
        if any(entry["code"] == delays.CODE for entry in verdict.reasons):
            recent = delays.neighbours(attempt).filter(started_at__gt=attempt.started_at - delays.JUDGED_AGAIN_FOR)
            for other in recent.filter(state=State.VERIFIED, reasons=[]).select_related("deal"):
                _settle_doubts(other)


def _settle_doubts(attempt: Attempt) -> None:
    verdict = AttemptVerdict.of(attempt, judge(attempt))
    if verdict.reasons:
        do_settle(attempt, verdict, expected=State.VERIFIED)


def _judged_other(attempt: Attempt) -> Judgement | None:
    try:
        return judge_alone(attempt)
    except SoftTimeLimitExceeded:
        raise  # the task's own time limit, not this attempt's fault
    except Exception:
        log.warning("attempt left to its own task", extra={"attempt": str(attempt.public_id)}, exc_info=True)
        return None


def give_up(attempt_id: int, problem: str) -> bool:
    """Send a pending attempt that could not be judged to review; return whether it was pending."""
    attempt = Attempt.objects.select_related("deal").filter(pk=attempt_id).first()
    if attempt is None:
        return False
    verdict = AttemptVerdict(State.REVIEW, [reason("not_verifiable", problem)], None)
    return do_settle(attempt, verdict, expected=State.PENDING)


def do_settle(attempt: Attempt, verdict: AttemptVerdict, *, expected: State) -> bool:
    """Move `attempt` and its result from the state `expected` to the verdict's; return False if its state differs."""
    return bool(settle_all([Case(attempt, verdict)], expected=expected))


def settle_all(cases: Sequence[Case], *, expected: State, durable: bool = True) -> dict[int, AttemptVerdict]:
    """`do_settle` each of the cases in one transaction; return the verdicts of those settled, by attempt id.

    A verdict that is not `durable` may be lost if the database server crashes: it follows from the record, and the
    sweep requests it again. This saves waiting for the disk.
    """
    if not cases:
        return {}
    now = timezone.now()
    with transaction.atomic():
        players = _swap_states(cases, expected, now, durable=durable)
        settled = [case for case in cases if case.attempt.pk in players]
        # Deal by deal, in the same order everywhere.
        settled.sort(key=lambda case: (case.attempt.deal_id, case.attempt.pk))
        for case, (result, rank) in zip(settled, _place_all(settled, players), strict=True):
            transaction.on_commit(partial(_publish, case.attempt, case.verdict, result, rank, now))
        wrote(*{case.attempt.player_id for case in settled})
        if settled and expected != State.PENDING:
            expire(Deal.objects.filter(pk__in={case.attempt.deal_id for case in settled}))
        raced = [case.attempt.pk for case in settled if case.attempt.in_race]
        if raced:
            transaction.on_commit(partial(finishing.apply_verdicts, raced))
    challenges.notify_verdicts([case.attempt.pk for case in settled if not case.attempt.ranked])
    return {case.attempt.pk: case.verdict for case in settled}


def _swap_states(cases: Sequence[Case], expected: State, now: datetime, *, durable: bool) -> dict[int, Any]:
    """Lock the players' rows, write the verdicts, and set the ladders of the attempts that were in the expected state.

    Returns the player of each such attempt, by attempt id.
    """
    ids = sorted({case.attempt.player_id for case in cases})
    postgresql = connection.vendor == "postgresql"
    user = get_user_model()
    lock = _LOCK.format(
        fields=", ".join(user.LISTED),
        table=user._meta.db_table,
        ids=", ".join(["%s"] * len(ids)),
        lock=" FOR NO KEY UPDATE" if postgresql else "",
    )
    ordered = sorted(cases, key=lambda case: case.attempt.pk)
    statements: list[Statement] = [(lock, ids), *(_swap_statement(case, expected, now) for case in ordered)]
    if postgresql and not durable:
        statements.append(("SET LOCAL synchronous_commit TO off", []))  # returns no rows
    locked, *swaps = run_in_order(statements)
    players = {row[0]: _player(row) for row in locked}
    ladders: dict[int, int | None] = dict(rows[0] for rows in swaps if rows)
    swapped = [case.attempt for case in cases if case.attempt.pk in ladders]
    for attempt in swapped:
        attempt.ladder = ladders[attempt.pk]
    return {attempt.pk: players[attempt.player_id] for attempt in swapped}


def _swap_statement(case: Case, expected: State, now: datetime) -> Statement:
    attempt, verdict = case
    figures = verdict.score[:4] if verdict.score else (None, None, None, None)
    # A corrected score keeps the verification time: later deals depend on how long it has been verified.
    stays_verified = expected == verdict.state == State.VERIFIED
    verified_at = (attempt.verified_at if stays_verified else None) or now
    row = [str(verdict.state), json.dumps(verdict.reasons), *figures, verdict.decisions_digest, verdict.real_play]
    row.append(stored(verified_at))
    ladder, params = ladder_sql(attempt)
    swap = _SWAP.format(
        table=Attempt._meta.db_table, digest=Attempt._meta.get_field("decisions_digest").column, ladder=ladder
    )
    return swap, [*row, *params, attempt.pk, str(expected), attempt.player_id]


def _player(row: tuple[Any, ...]) -> Any:  # noqa: ANN401
    user = get_user_model()
    return user(**dict(zip(("id", *user.LISTED), row, strict=True)))


def _place_all(cases: Sequence[Case], players: dict[int, Any]) -> list[tuple[Result | None, int | None]]:
    """Reconcile each attempt's result with its verdict; return the results and ranks, if there are any."""
    fresh: list[tuple[Result, bool]] = []
    places: list[tuple[Result | None, int | None]] = []
    for case in cases:
        placed = _existing_result(case) if case.attempt.state != State.PENDING else None
        if placed is None and case.is_ranked and case.verdict.score is not None:
            player = players[case.attempt.pk]
            result = entries.result_of(case.attempt, player, case.verdict.score)
            fresh.append((result, player.is_listed))
            placed = result, None
        places.append(placed or (None, None))
    ranks = {id(result): rank for (result, _listed), rank in zip(fresh, entries.add_all(fresh), strict=True)}
    return [(result, ranks.get(id(result), rank)) for result, rank in places]


def _existing_result(case: Case) -> tuple[Result, int | None] | None:
    """Return the attempt's existing result and rank if the verdict keeps it; otherwise remove it."""
    old = Result.objects.select_related("player", "attempt", "deal").filter(attempt_id=case.attempt.pk).first()
    if old is None:
        return None
    if case.is_ranked and case.verdict.score is not None and _has_score(old, case.verdict.score):
        return old, rank_of(old.deal, "race", old.player)
    entries.remove(old)
    return None


def _has_score(result: Result, score: BoardScore) -> bool:
    same = Result()
    set_score(same, score, DEAL)
    return all(getattr(result, name) == getattr(same, name) for name in _SCORED)


def _publish(attempt: Attempt, verdict: AttemptVerdict, result: Result | None, rank: int | None, now: datetime) -> None:
    metrics.VERDICTS.labels(state=verdict.state).inc()
    if attempt.finished_at is not None and attempt.state == State.PENDING:
        metrics.VERIFY_SECONDS.observe(max(0.0, (now - attempt.finished_at).total_seconds()))
    if attempt.ranked and result is None:
        entries.notify_watchers(attempt.deal_id)  # the attempt became pending, or no longer is
    score = verdict.score
    log.info("attempt settled", extra={"attempt": str(attempt.public_id), "state": str(verdict.state)})
    notifier.send(
        f"attempt.{attempt.public_id.hex}",
        {
            "type": "attempt.verdict",
            "attempt": attempt.public_id.hex,
            "state": str(verdict.state),
            "reasons": for_player(verdict.reasons, verdict.state),
            "rank": rank,
            "ladder": attempt.ladder_slug,
            "cards_up": score.cards_up if score else None,
            "elapsed_ms": score.elapsed_ms if score else None,
            "tokens": score.tokens if score else None,
        },
    )
