"""Access rules of the staff desk.

Looking at attempts needs the right to view them; deciding and writing notes need the right to decide. Cards and moves
of a deal that is still secret are shown only to staff who have not started it, and staff who have seen them cannot
start it for a rank.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from games.deals import publishing
from games.models import Attempt, SeenDeal

VIEW: Final = "games.view_attempt"
DECIDE: Final = "games.decide_attempt"


def staff_of(request: HttpRequest, right: str = VIEW) -> AbstractBaseUser:
    """Return the requesting staff user, who needs `right` besides the right to view attempts.

    :raises PermissionDenied: if the user lacks them.
    """
    user = request.user
    if isinstance(user, AnonymousUser) or not user.is_staff or not user.has_perms({VIEW, right}):
        raise PermissionDenied
    return user


def may_watch(staff_id: int, attempt: Attempt, now: datetime | None = None) -> bool:
    """Return whether this staff member may see the cards and moves of an attempt."""
    if not attempt.is_over:
        return False
    if publishing.may_see_seed(attempt.deal, staff_id, now):
        return True
    return not Attempt.objects.filter(deal=attempt.deal_id, player=staff_id).exists()


def watch(staff_id: int, attempt: Attempt, now: datetime | None = None) -> None:
    """Record that this staff member sees the cards of the attempt's deal, if they are still secret.

    :raises PermissionDenied: if they may not.
    """
    now = now or timezone.now()
    with transaction.atomic():
        if publishing.is_secret(attempt.deal, now):
            SeenDeal.objects.get_or_create(player_id=staff_id, deal_id=attempt.deal_id, defaults={"seen_at": now})
        if not may_watch(staff_id, attempt, now):  # checked last, so that no game started concurrently is missed
            raise PermissionDenied
