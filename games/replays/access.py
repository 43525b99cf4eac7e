"""Who may watch a finished game: its player at once, everybody else when its deal is no secret any more.

A replay shows what the player saw and nothing beyond that. A record is another matter, since it names the seed
(`games.deals.publishing.may_see_seed`).
"""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from games.deals import publishing
from games.models import Attempt


def may_watch(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether this visitor may watch the attempt: it is over, and it is their own or they may know its deal."""
    if not attempt.is_over:
        return False
    is_own = player_id is not None and attempt.player_id == player_id
    return is_own or publishing.may_see_seed(attempt.deal, player_id, now)


def is_public(attempt: Attempt, now: datetime | None = None) -> bool:
    """Whether everybody may watch the attempt."""
    return attempt.is_over and attempt.deal.is_revealed(now or timezone.now())


def may_be_shared(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether this visitor may play on from the attempt and take its picture away: nobody can have it to play yet."""
    return may_watch(attempt, player_id, now) and not publishing.is_secret(attempt.deal, now)
