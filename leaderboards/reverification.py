"""Judges attempts again, after a bug fix or to be sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from games.models import Attempt
from games.verification import judge
from leaderboards.keys import Score
from leaderboards.settlement import Verdict, do_settle, staff_decision

State = Attempt.State
_JUDGED: Final = (State.PENDING, State.VERIFIED, State.REJECTED, State.REVIEW)


@dataclass(frozen=True, slots=True)
class Finding:
    """An attempt's state and what it should be, with the codes of the reasons."""

    attempt: Attempt
    before: State
    after: State
    codes: tuple[str, ...]
    changed: bool


def finished_attempts() -> QuerySet[Attempt]:
    """Every attempt that can be judged."""
    return Attempt.objects.filter(state__in=_JUDGED).select_related("deal").order_by("pk")


def reverify(attempt: Attempt, *, dry_run: bool = False) -> Finding:
    """Judge a finished attempt again and settle any difference; with `dry_run` only report it.

    Staff decisions stand, unless the record does not replay.
    """
    before = State(attempt.state)
    verdict = _with_decision(attempt, Verdict.of(judge(attempt)))
    changed = verdict.state != before or not _same_score(attempt, verdict.score)
    if changed and not dry_run:
        changed = do_settle(attempt, verdict, expected=before)
    codes = tuple(one["code"] for one in verdict.reasons)
    return Finding(attempt, before, verdict.state, codes, changed)


def _with_decision(attempt: Attempt, verdict: Verdict) -> Verdict:
    decided = staff_decision(attempt)
    if decided is None or (decided == State.VERIFIED and verdict.score is None):
        return verdict
    return Verdict(decided, attempt.reasons, verdict.score, verdict.line)


def _same_score(attempt: Attempt, score: Score | None) -> bool:
    kept = (attempt.cards_up, attempt.elapsed_ms, attempt.tokens)
    return kept == (tuple(score) if score is not None else (None, None, None))
