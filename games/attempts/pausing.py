"""Pause and resume for practice: the attempt's clock stops, in the database, until the player resumes.

A paused attempt takes no moves: the journal's insert checks the same columns (`games.live.journal_store`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from games.core.errors import ErrorCode, Refusal
from games.models import Attempt

_MS: Final = timedelta(milliseconds=1)


def may_pause(attempt: Attempt) -> bool:
    """Return True if an attempt may be paused: it is practice and does not answer a friend's challenge."""
    return attempt.may_pause and not hasattr(attempt, "answer")


@transaction.atomic
def pause_attempt(attempt_id: int, at: datetime) -> Attempt:
    """Stop the clock. Does nothing to a paused attempt or one that is over.

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
    """Restart the clock if it is stopped.

    :raises Attempt.DoesNotExist: for an unknown id.
    """
    attempt = _locked(attempt_id)
    if attempt.paused_at is not None:
        end_pause(attempt, at)
        attempt.save(update_fields=["paused_at", "paused_ms"])
    return attempt


def end_pause(attempt: Attempt, at: datetime) -> None:
    """Add the current pause, if any, to `paused_ms`; does not save."""
    if attempt.paused_at is not None:
        attempt.paused_ms += max(0, (at - attempt.paused_at) // _MS)
        attempt.paused_at = None


def _locked(attempt_id: int) -> Attempt:
    return Attempt.objects.select_for_update().defer("record", "decisions_digest").get(pk=attempt_id)
