"""Staff decisions about attempts: making and undoing them, with an audit trail of reasons.

A decision changes the attempt's state and its place on the boards in the transaction that records it. It stores the
previous state and reasons, so that undoing it restores exactly those.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.appeals import reports
from games.attempts.verification import judge
from games.core.errors import ErrorCode, Refusal
from games.core.verdict_reasons import STAFF, VerdictReason, reason
from games.models import Attempt, Decision
from leaderboards.models import Result
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

State = Attempt.State

Staff = AbstractBaseUser | str
"""Author of a decision: a staff user, or the name of a program."""

DECIDABLE: Final = (State.VERIFIED, State.REJECTED)
JUDGED: Final = (*DECIDABLE, State.REVIEW)


class NotDecidableError(Refusal):
    """Raised for a staff decision that is not possible for this attempt."""

    def __init__(self, message: StrPromise) -> None:
        super().__init__(ErrorCode.NOT_DECIDABLE, message)


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """Outcome of a batch of decisions: the number decided, and the public ids of those refused, with the reason."""

    batch: uuid.UUID
    decided: int = 0
    refused: list[tuple[uuid.UUID, Refusal]] = field(default_factory=list)


def decide(attempt_id: int, state: State, staff: Staff, why: str = "", *, batch: uuid.UUID | None = None) -> Decision:
    """Verify or reject an attempt on a staff member's decision, and update the boards.

    Players who reported a game that is rejected are told that action was taken.

    :raises NotDecidableError: for an own attempt, one not yet judged, and for verifying one that does not replay.
    """
    if state not in DECIDABLE:
        raise NotDecidableError(_("Staff can only verify or reject."))
    attempt = _judged_attempt(attempt_id, staff)
    entry = reason(
        STAFF, f"{state.name.capitalize()} by staff.", state=state, by=str(staff), at=timezone.now().isoformat()
    )
    reasons = [*(old for old in attempt.reasons if old.get("code") != STAFF), entry]
    made = _write(attempt, state, reasons, staff, Decision(why=why, batch=batch))
    if state == State.REJECTED:
        reports.game_rejected(attempt_id, staff)
    return made


def undo(decision: Decision, staff: Staff, why: str = "", *, batch: uuid.UUID | None = None) -> Decision:
    """Restore the state and the reasons that the attempt had before its last decision.

    :raises NotDecidableError: for an own attempt, or if the attempt has been decided or judged differently since.
    """
    attempt = _judged_attempt(decision.attempt_id, staff)
    if decision.pk != _standing(attempt) or attempt.state != decision.state:
        raise NotDecidableError(_("This decision is no longer in force."))
    back = Decision(why=why, batch=batch, undoes=decision)
    return _write(attempt, State(decision.before), decision.reasons_before, staff, back)


def decide_all(attempt_ids: Iterable[int], state: State, staff: Staff, why: str) -> BatchOutcome:
    """Make the same decision about several attempts. One that cannot be decided does not stop the others."""
    found = Attempt.objects.filter(pk__in=list(attempt_ids)).order_by("deal_id", "pk")
    refused, batch = [], uuid.uuid4()
    for attempt_id, public_id in found.values_list("pk", "public_id"):
        try:
            decide(attempt_id, state, staff, why, batch=batch)
        except Refusal as refusal:
            refused.append((public_id, refusal))
    return BatchOutcome(batch, Decision.objects.filter(batch=batch).count(), refused)


def undo_all(batch: uuid.UUID, staff: Staff, why: str = "") -> BatchOutcome:
    """Undo the decisions of a batch that are still in force."""
    refused, again = [], uuid.uuid4()
    made = Decision.objects.filter(batch=batch, undone_by=None).select_related("attempt").order_by("-pk")
    for decision in made:
        try:
            undo(decision, staff, why, batch=again)
        except Refusal as refusal:
            refused.append((decision.attempt.public_id, refusal))
    return BatchOutcome(again, Decision.objects.filter(batch=again).count(), refused)


def staff_decision(attempt: Attempt) -> State | None:
    """Return the staff decision about an attempt, if there is one."""
    for entry in attempt.reasons:
        if entry.get("code") == STAFF:
            return State(entry["state"])
    return None


def can_undo(decision: Decision) -> bool:
    """Return whether the decision is the one in force."""
    return decision.pk == _standing(decision.attempt) and decision.attempt.state == decision.state


def _standing(attempt: Attempt) -> int | None:
    """Return the decision in force, or None if all have been undone."""
    made = Decision.objects.filter(attempt=attempt, undone_by=None, undoes=None)
    return made.order_by("-pk").values_list("pk", flat=True).first()


def _judged_attempt(attempt_id: int, staff: Staff) -> Attempt:
    attempt = Attempt.objects.select_related("deal").get(pk=attempt_id)
    if not isinstance(staff, str) and attempt.player_id == staff.pk:
        raise NotDecidableError(_("Someone else has to decide about your own game."))
    if attempt.state not in JUDGED:
        raise NotDecidableError(_("This attempt has not been judged yet."))
    return attempt


def _write(attempt: Attempt, state: State, reasons: list[VerdictReason], staff: Staff, decision: Decision) -> Decision:
    """Settle the attempt accordingly, and save the decision in the same transaction."""
    found = AttemptVerdict.of(attempt, judge(attempt))
    if state == State.VERIFIED and found.score is None:
        raise NotDecidableError(_("This attempt's record can't be replayed, so it can't be ranked."))
    decision.attempt, decision.state = attempt, state
    decision.before, decision.reasons_before = attempt.state, attempt.reasons
    decision.by_id = None if isinstance(staff, str) else staff.pk
    decision.result_id = Result.objects.filter(attempt=attempt).values_list("pk", flat=True).first()
    decision.made_at = timezone.now()
    meanwhile = NotDecidableError(_("Someone else has decided about this attempt in the meantime."))
    try:
        with transaction.atomic():
            verdict = replace(found, state=state, reasons=reasons)
            if not do_settle(attempt, verdict, expected=State(attempt.state)):
                raise meanwhile
            _give_back_id(attempt)
            decision.save()
    except IntegrityError:  # two requests undid it concurrently
        raise meanwhile from None
    return decision


def _give_back_id(attempt: Attempt) -> None:
    """Restore the id of a result that returns, so that it keeps its order among ties; the boards are locked by now."""
    earlier = Decision.objects.filter(attempt=attempt, result_id__isnull=False).order_by("-pk")
    known = earlier.values_list("result_id", flat=True).first()
    if known is not None:
        Result.objects.filter(attempt=attempt).exclude(pk=known).update(id=known)
