"""Re-evaluation of fair-play flags on stored attempts, after a change of the rules of fair play.

A deal's attempts are processed in batches by finish time, since only an earlier game can accuse a later one. Staff
decisions stay in force. Attempts whose record is not valid are left to `reverification`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, QuerySet

from games.attempts.verification import compare, judge_alone
from games.core.verdict_reasons import VerdictReason, flags, of_record
from games.models import Attempt
from leaderboards.verdicts.decisions import staff_decision
from leaderboards.verdicts.reverification import finished_attempts, has_verdict
from leaderboards.verdicts.settlement import AttemptVerdict, Case, settle_all

State = Attempt.State
_Judged = list[Case]
_Row = list[Any]

#: Batch size; each attempt keeps its replay in memory.
BATCH: Final = 50

_FAIRNESS_JUDGED: Final = Q(ranked=True) | Q(deal__for_race=True, deadline__isnull=False)


class ReflagOutcome(Enum):
    """Outcome of judging an attempt again."""

    SAME = auto()
    CHANGED = auto()
    STAFF = auto()
    """The flags differ, but staff decided: nothing is changed."""
    RECORD = auto()
    """The record is no longer valid: nothing is changed."""
    MEANWHILE = auto()
    """Settled concurrently elsewhere: nothing is changed."""


@dataclass(frozen=True, slots=True)
class Reflagged:
    """State and flag codes of an attempt, before and after it was judged again."""

    attempt: UUID
    before: State
    after: State
    flags_before: tuple[str, ...]
    flags_after: tuple[str, ...]
    outcome: ReflagOutcome


def fairly_judged() -> QuerySet[Attempt]:
    """Return every attempt with a verdict that includes fairness: ranked ones and race attempts."""
    return finished_attempts().filter(_FAIRNESS_JUDGED).exclude(state=State.PENDING)


def deals_of(chosen: QuerySet[Attempt]) -> list[int]:
    """Return the ids of the attempts' deals, in processing order."""
    return list(chosen.order_by("deal").values_list("deal", flat=True).distinct())


def reflag(chosen: QuerySet[Attempt], deal_id: int, *, write: bool) -> Iterator[list[Reflagged]]:
    """Judge the chosen attempts at a deal again, batch by batch; without `write` nothing is changed.

    Each batch is committed on its own, so that an interruption loses none that was yielded.
    """
    keys = list(chosen.filter(deal=deal_id).order_by("finished_at", "pk").values_list("pk", flat=True))
    unwritten: dict[int, State] = {}
    for start in range(0, len(keys), BATCH):
        batch = list(chosen.filter(pk__in=keys[start : start + BATCH]).order_by("finished_at", "pk"))
        judged = _judged(batch, unwritten)
        found = {attempt.pk: _finding(attempt, verdict) for attempt, verdict in judged}
        if write:
            written = _write(judged, found)
            found = {pk: result if pk in written else _changed_meanwhile(result) for pk, result in found.items()}
        else:
            unwritten |= {pk: result.after for pk, result in found.items() if result.before != result.after}
        yield [found.get(attempt.pk) or _unjudged(attempt) for attempt in batch]


def _judged(batch: Sequence[Attempt], unwritten: dict[int, State]) -> _Judged:
    """Return the verdicts on the attempts with valid records, with staff decisions applied."""
    judgements = [(attempt, judge_alone(attempt)) for attempt in batch if has_verdict(attempt)]
    comparable = [(attempt, judgement) for attempt, judgement in judgements if not of_record(judgement.reasons)]
    decided = {attempt.pk: decision for attempt, _ in comparable if (decision := staff_decision(attempt)) is not None}
    compared = compare(comparable, {**unwritten, **decided})
    verdicts = [
        (attempt, AttemptVerdict.of(attempt, judgement))
        for (attempt, _), judgement in zip(comparable, compared, strict=True)
    ]
    return [
        Case(attempt, replace(verdict, state=decided.get(attempt.pk, verdict.state))) for attempt, verdict in verdicts
    ]


def _finding(attempt: Attempt, verdict: AttemptVerdict) -> Reflagged:
    before, after = _codes(attempt.reasons), _codes(verdict.reasons)
    state = State(attempt.state)
    outcome = ReflagOutcome.CHANGED if (state, before) != (verdict.state, after) else ReflagOutcome.SAME
    if outcome is ReflagOutcome.CHANGED and staff_decision(attempt) is not None:
        return Reflagged(attempt.public_id, state, state, before, after, ReflagOutcome.STAFF)
    return Reflagged(attempt.public_id, state, verdict.state, before, after, outcome)


def _unjudged(attempt: Attempt) -> Reflagged:
    """Report an attempt without a judgement: RECORD if its record used to be valid and no longer is, else SAME."""
    state, codes = State(attempt.state), _codes(attempt.reasons)
    outcome = ReflagOutcome.RECORD if has_verdict(attempt) else ReflagOutcome.SAME
    return Reflagged(attempt.public_id, state, state, codes, codes, outcome)


def _changed_meanwhile(result: Reflagged) -> Reflagged:
    if result.outcome is not ReflagOutcome.CHANGED:
        return result
    return replace(result, after=result.before, flags_after=result.flags_before, outcome=ReflagOutcome.MEANWHILE)


def _codes(reasons: Iterable[VerdictReason]) -> tuple[str, ...]:
    return tuple(sorted({entry["code"] for entry in flags(reasons)}))


def _write(judged: _Judged, found: dict[int, Reflagged]) -> set[int]:
    """Settle differences and update stored digests, except of attempts changed since; return the ids of the others.

    The locks are those of `settle_all`, in its order: a concurrent staff decision waits, or is seen here.
    """
    with transaction.atomic():
        now = _locked(judged)
        current = [case for case in judged if now.get(case.attempt.pk) == _row(case.attempt)]
        for attempt, verdict in current:
            digest = attempt.decisions_digest and bytes(attempt.decisions_digest)
            if verdict.decisions_digest != digest:
                Attempt.objects.filter(pk=attempt.pk).update(decisions_digest=verdict.decisions_digest)
        changed = [case for case in current if found[case.attempt.pk].outcome is ReflagOutcome.CHANGED]
        for state in State:
            settle_all([case for case in changed if case.attempt.state == state], expected=state)
    return {attempt.pk for attempt, _ in current}


def _locked(judged: _Judged) -> dict[int, _Row]:
    """Lock the attempts and return the current values of the columns a decision would change."""
    players = get_user_model().objects.filter(pk__in={attempt.player_id for attempt, _ in judged})
    attempts = Attempt.objects.filter(pk__in=[attempt.pk for attempt, _ in judged])
    list(players.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    rows = attempts.select_for_update(no_key=True).order_by("pk").values_list("pk", "player_id", "state", "reasons")
    return {pk: row for pk, *row in rows}


def _row(attempt: Attempt) -> _Row:
    return [attempt.player_id, attempt.state, attempt.reasons]
