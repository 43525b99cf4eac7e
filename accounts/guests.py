"""Playing without an account: a guest is a row like any other player's, and what becomes of it.

A guest is made at the first play and signed in through the ordinary session, so the rest of the service knows players
only. Signing up turns the guest's own row into the account; signing in to another account moves the guest's attempts
there and removes the row. A guest who never began an attempt is removed after a while.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth import login
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from accounts.names import guest_name
from games.models import Attempt
from leaderboards import ranking
from leaderboards.models import Result

BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"

#: How long a guest who has begun nothing is kept.
EMPTY_GUEST_AGE: Final = timedelta(days=7)

_TRIES: Final = 3


def player_for(request: HttpRequest, *, create: bool) -> User | None:
    """Give whoever plays in this session; with ``create`` a new guest when there is nobody yet."""
    if request.user.is_authenticated:
        if create:
            request.session.modified = True  # playing renews the cookie, which is all a guest has
        return request.user
    if not create:
        return None
    guest = create_guest()
    login(request, guest, backend=BACKEND)
    return guest


def create_guest() -> User:
    """Make a guest: a player without password, e-mail address or place in the name register."""
    return User.objects.create_user(
        f"guest-{secrets.token_hex(12)}", password=None, display_name=guest_name(), is_guest=True
    )


def merge_guest(guest: User, user: User) -> None:
    """Move what ``guest`` has played to ``user`` and remove the guest.

    An account has one ranked attempt at a deal: where ``user`` has it already, the guest's becomes practice.

    :raises ValueError: when it is not a guest and an account.
    """
    if not guest.is_guest or user.is_guest:
        raise ValueError("only a guest is merged, and only into an account")
    for tries_left in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                _merge(guest, user)
        except IntegrityError:  # the account has just begun a deal of the guest's: seen by the next try
            if not tries_left:
                raise
        else:
            return


def _merge(guest: User, user: User) -> None:
    if not _lock_both(guest, user):
        return  # another tab was faster
    taken = Attempt.objects.filter(player=user, ranked=True).values("deal_id")
    doubled = Attempt.objects.filter(player=guest, ranked=True, deal_id__in=taken)
    Result.objects.filter(attempt__in=doubled).delete()
    doubled.update(ranked=False)
    Attempt.objects.filter(player=guest).update(player=user)
    Result.objects.filter(player=guest).update(player=user)
    User.objects.filter(pk=guest.pk).delete()
    transaction.on_commit(lambda: ranking.rank_player(user))


def _lock_both(guest: User, user: User) -> bool:
    """Lock the rows of guest and account; says whether the guest is still one.

    In the order of their ids, as verdicts lock players. The account's is locked no more than an update would, so that
    the foreign key of an attempt it begins meanwhile does not wait for this, which may have to wait for that.

    :raises User.DoesNotExist: when the account is gone.
    """
    is_guest = False
    for player in sorted((guest, user), key=lambda player: player.pk):
        if player is user:
            User.objects.select_for_update(no_key=True).get(pk=user.pk)
        else:
            is_guest = User.objects.select_for_update().filter(pk=guest.pk, is_guest=True).exists()
    return is_guest


def expire_guests(now: datetime | None = None, *, batch: int = 1000) -> int:
    """Remove guests who began nothing within :data:`EMPTY_GUEST_AGE`; give how many went."""
    before = (now or timezone.now()) - EMPTY_GUEST_AGE
    gone = 0
    while found := _expire_batch(before, batch):
        gone += found
    return gone


def _expire_batch(before: datetime, size: int) -> int:
    idle = User.objects.filter(is_guest=True, date_joined__lt=before, attempts=None).order_by("date_joined")
    with transaction.atomic():
        # From here on an attempt that one of them begins waits; those begun until now are seen by the second look.
        locked = User.objects.select_for_update().filter(pk__in=list(idle.values_list("pk", flat=True)[:size]))
        keys = [guest.pk for guest in locked.order_by("pk")]
        _, removed = User.objects.filter(pk__in=list(idle.filter(pk__in=keys).values_list("pk", flat=True))).delete()
    return removed.get("accounts.User", 0)
