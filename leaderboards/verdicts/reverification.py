"""Re-verification of finished attempts, after a bug fix or as an audit.

Validity and fairness are separate. `reverify` (`manage.py verify`) replays the *record* and updates score and rank;
flags stay. `leaderboards.verdicts.reflagging` (`manage.py fairplay`) recomputes the flags, which say if the game looks
*fair*. An attempt without a verdict on its record gets both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from django.db.models import QuerySet

from games.attempts.verification import Judgement, judge, judge_record
from games.core.verdict_reasons import flags, of_record
from games.models import Attempt
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.verdicts.decisions import staff_decision
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle

State = Attempt.State
_JUDGED: Final = (State.PENDING, State.VERIFIED, State.REJECTED, State.REVIEW)


@dataclass(frozen=True, slots=True)
class Finding:
    """State of an attempt and the state it should have, with the codes of the reasons."""

    attempt: Attempt
    before: State
    after: State
    codes: tuple[str, ...]
    changed: bool


def finished_attempts() -> QuerySet[Attempt]:
    """Return every attempt that can be judged."""
    return Attempt.objects.filter(state__in=_JUDGED).select_related("deal").order_by("pk")


def reverify(attempt: Attempt, *, dry_run: bool = False) -> Finding:
    """Judge a finished attempt's record again and settle any difference; with `dry_run` only report it.

    Flags stay, and so do staff decisions unless the record does not replay.
    """
    before = State(attempt.state)
    verdict = _with_decision(attempt, AttemptVerdict.of(attempt, _judged(attempt)))
    changed = (verdict.state, verdict.score, verdict.real_play) != (before, BoardScore.of(attempt), attempt.real_play)
    if changed and not dry_run:
        changed = do_settle(attempt, verdict, expected=before)
    codes = tuple(entry["code"] for entry in verdict.reasons)
    return Finding(attempt, before, verdict.state, codes, changed)


def has_verdict(attempt: Attempt) -> bool:
    """Return whether the attempt's record was found valid, so that its state expresses a verdict on its fairness."""
    return attempt.state != State.PENDING and not of_record(attempt.reasons)


def _judged(attempt: Attempt) -> Judgement:
    if not has_verdict(attempt):
        return judge(attempt)
    judgement = judge_record(attempt)
    return replace(judgement, reasons=[*judgement.reasons, *flags(attempt.reasons)])


def _with_decision(attempt: Attempt, verdict: AttemptVerdict) -> AttemptVerdict:
    decided = staff_decision(attempt)
    if decided is None or (decided == State.VERIFIED and verdict.score is None):
        return verdict
    return replace(verdict, state=decided, reasons=attempt.reasons)
