"""Access rules for replays: the player may watch at once, everyone else once the deal is no longer secret.

A replay shows only what the player saw. Records follow a stricter rule, since they contain the seed
(`games.deals.publishing.may_see_seed`).
"""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from games.db.players import people
from games.deals import publishing
from games.models import Attempt


def may_watch(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return True if this visitor may watch the attempt: it is over, and it is theirs or they may see its seed."""
    if not attempt.is_over:
        return False
    is_own = player_id is not None and attempt.player_id == player_id
    return is_own or publishing.may_see_seed(attempt.deal, player_id, now)


def is_public(attempt: Attempt, now: datetime | None = None) -> bool:
    """Return True if everyone may watch the attempt."""
    return attempt.is_over and attempt.deal.is_revealed(now or timezone.now())


def may_be_shared(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return True if this visitor may continue the attempt or share its picture: they may watch it, and its deal is no
    longer secret.
    """
    return may_watch(attempt, player_id, now) and not publishing.is_secret(attempt.deal, now)


def may_be_analysed(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return True if this visitor may see the attempt's analysis: they may share it, or finished it as their own daily.

    A daily's analysis tells its player nothing that helps them before the reveal, since their one ranked attempt is
    over. Guests wait for the reveal: a guest is free to create, and could play the deal again with an account.
    """
    if may_be_shared(attempt, player_id, now):
        return True
    is_daily = attempt.is_over and attempt.ranked and attempt.deal.day is not None
    is_own = player_id is not None and attempt.player_id == player_id
    return is_daily and is_own and bool(people().accounts_among([attempt.player_id]))
