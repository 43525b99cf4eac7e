"""Pausing practice: the attempt's clock stops, in the database, until the player goes on.

No move is taken meanwhile: the journal's insert looks at the same columns (`games.live.journal_store`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from games.errors import ErrorCode, Refusal
from games.models import Attempt

_MS: Final = timedelta(milliseconds=1)


def may_pause(attempt: Attempt) -> bool:
    """Whether the clock of an attempt may be stopped: it is practice, and no friend's time is to be beaten."""
    return attempt.may_pause and not hasattr(attempt, "answer")


@transaction.atomic
def pause_attempt(attempt_id: int, at: datetime) -> Attempt:
    """Stop the clock. One that is stopped stays as it is, and so does an attempt that is over.

    :raises Refusal: no_pause, unless it is practice that answers no challenge.
    :raises Attempt.DoesNotExist: for an unknown id.
    """
    attempt = _locked(attempt_id)
    if not may_pause(attempt):
        raise Refusal(ErrorCode.NO_PAUSE)
    if not attempt.is_over and attempt.paused_at is None:
        attempt.paused_at = at
        attempt.save(update_fields=["paused_at"])
    return attempt


@transaction.atomic
def resume_attempt(attempt_id: int, at: datetime) -> Attempt:
    """Let the clock go on, if it was stopped.

    :raises Attempt.DoesNotExist: for an unknown id.
    """
    attempt = _locked(attempt_id)
    if attempt.paused_at is not None:
        end_pause(attempt, at)
        attempt.save(update_fields=["paused_at", "paused_ms"])
    return attempt


def end_pause(attempt: Attempt, at: datetime) -> None:
    """Count a pause that lasts as over; saves nothing."""
    if attempt.paused_at is not None:
        attempt.paused_ms += max(0, (at - attempt.paused_at) // _MS)
        attempt.paused_at = None


def _locked(attempt_id: int) -> Attempt:
    return Attempt.objects.select_for_update().defer("record", "line").get(pk=attempt_id)
