"""Holds: results with doubts that wait for staff, because others would lose a place by them.

A hold ends with a decision, or by itself after `REVIEW_DAYS`, except if hands cannot have played the game.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games.core.verdict_reasons import flags, is_beyond_hands, of_record
from games.models import Attempt


def is_held(attempt: Attempt) -> bool:
    """Return whether the attempt waits for staff although its record is valid."""
    return attempt.state == Attempt.State.REVIEW and bool(flags(attempt.reasons)) and not of_record(attempt.reasons)


def held_until(attempt: Attempt) -> datetime | None:
    """Return when the attempt is released unless staff decide before; None if that does not happen by itself."""
    since = attempt.verified_at
    if since is None or not settings.REVIEW_DAYS or not is_held(attempt) or is_beyond_hands(attempt.reasons):
        return None
    return since + timedelta(days=settings.REVIEW_DAYS)
