"""Access rules for replays: the player may watch at once, everyone else once the deal is no longer secret.

A replay shows only what the player saw. Records follow a stricter rule, since they contain the seed
(`games.deals.publishing.may_see_seed`).
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404
from django.utils import timezone

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


def watchable_attempt(public_id: UUID, player_id: int | None) -> Attempt:
    """Return an attempt that this visitor may watch.

    :raises Http404: if there is none.
    :raises PermissionDenied: while it is being played, or if it is another player's and its deal is still secret.
    """
    found = get_object_or_404(Attempt.objects.select_related("deal", "player"), public_id=public_id)
    if not may_watch(found, player_id):
        raise PermissionDenied
    return found
