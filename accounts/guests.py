"""Playing without an account: guests are rows like other players, and here is what becomes of them.

A guest is created at the first play and signed in with an ordinary session, so the rest of the service only knows
players. Signing up turns the guest's row into the account; signing in to an existing account moves the guest's attempts
there, as practice, and deletes the row. Guests who have not come back are deleted (`accounts.housekeeping`).
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from django.contrib.auth import login
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from accounts.names import guest_name
from accounts.session_store import new_row_of
from games.compiled import Inserting, Insertion, insert_in_order
from games.ghosts import inbox
from games.ghosts.models import Challenge
from games.models import Attempt
from games.players import Newcomer
from games.races import seats
from games.reserved_ids import ReservedIds
from leaderboards.models import Result

BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"

_TRIES: Final = 3
_INSERT: Final = Inserting(User, numbered=True)
_IDS: Final = ReservedIds(User)


def player_for(request: HttpRequest) -> User:
    """Give whoever plays in this session; a new guest when there is nobody yet."""
    if request.user.is_authenticated:
        request.session.modified = True  # playing renews the cookie: without it a guest is gone
        return request.user
    guest, rows = _signed_in(request)
    insert_in_order(rows)
    return guest


def newcomer_for(request: HttpRequest) -> Newcomer:
    """Sign a new guest in; the row, and that of a new session, are for the caller to insert."""
    return Newcomer(*_signed_in(request))


def create_guest() -> User:
    """Create a guest: a player without a password, an e-mail address or a reserved name."""
    guest = _new_guest()
    _INSERT.add(guest)
    return guest


def _signed_in(request: HttpRequest) -> tuple[User, list[Insertion]]:
    """A new guest, whose session it is from now on, and the rows of both that are to be inserted."""
    guest = _new_guest()
    login(request, guest, backend=BACKEND)
    return guest, [Insertion(_INSERT, guest), *new_row_of(request.session)]


def _new_guest() -> User:
    now = timezone.now()
    name = f"guest-{secrets.token_hex(12)}"
    guest = User(
        pk=_IDS.take(), username=name, display_name=guest_name(), is_guest=True, date_joined=now, last_login=now
    )
    guest.password = f"{UNUSABLE_PASSWORD_PREFIX}{secrets.token_hex(20)}"  # none that fits, and no other guest's
    return guest


def merge_guest(guest: User, user: User) -> int:
    """Move the attempts of ``guest`` to ``user`` and delete the guest; returns how many ranked ones became practice.

    All of them do: otherwise the best of several guests could be handed to an account. The account has then begun
    those deals, and cannot begin them again for a rank. Nobody is in two races at once: if ``user`` is in one, the
    guest's seat is lost, and a game being raced is played on without a name.

    :raises ValueError: when they are not a guest and an account.
    """
    if not guest.is_guest or user.is_guest:
        raise ValueError("only a guest is merged, and only into an account")
    for tries_left in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                return _merge(guest, user)
        except IntegrityError:  # the account has just sat down in a race of the guest's: the next try sees it
            if not tries_left:
                raise
    return 0


def _merge(guest: User, user: User) -> int:
    # Rooms come before players in the order of locks (docs/races.md).
    seats.hold_rooms(guest.pk)
    # By ascending id, like all locks on players (docs/boards.md, Locks). The account's row has the lock of an update
    # only: an attempt that it starts meanwhile needs the row for its foreign key, and must not wait for this
    # transaction, which may have to wait for it.
    locked = {
        key: User.objects.select_for_update(no_key=key == user.pk).filter(pk=key, is_guest=key == guest.pk).exists()
        for key in sorted((guest.pk, user.pk))
    }
    if not all(locked.values()):  # done by another tab
        return 0
    Result.objects.filter(player=guest).delete()  # a guest's are on no board
    counted = Attempt.objects.filter(player=guest, ranked=True).update(ranked=False)
    Attempt.objects.filter(player=guest).update(player=user)
    seats.hand_over(guest.pk, user.pk)
    Challenge.objects.filter(sender=guest).update(sender=user)
    inbox.hand_over(guest.pk, user.pk, since=guest.date_joined)
    User.objects.filter(pk=guest.pk).delete()
    return counted


def remove_empty_guests(before: datetime, size: int) -> int:
    """Delete up to ``size`` guests created before then who have played nothing; returns how many."""
    return _remove(User.objects.filter(is_guest=True, date_joined__lt=before, attempts=None), size)


def remove_lost_guests(before: datetime, size: int) -> int:
    """Delete up to ``size`` guests who have started no game since then, with their games; returns how many.

    Each new game renews the cookie, and without it nobody can return as that guest.
    """
    begun = Exists(Attempt.objects.filter(player=OuterRef("pk"), started_at__gte=before))
    return _remove(User.objects.filter(is_guest=True, date_joined__lt=before).exclude(begun), size)


def _remove(idle: QuerySet[User], size: int) -> int:
    oldest = idle.order_by("date_joined")
    with transaction.atomic():
        # Attempts that these guests start from here on wait; those started before are seen by the second query.
        locked = User.objects.select_for_update().filter(pk__in=list(oldest.values_list("pk", flat=True)[:size]))
        keys = [guest.pk for guest in locked.order_by("pk")]
        _, removed = User.objects.filter(pk__in=list(idle.filter(pk__in=keys).values_list("pk", flat=True))).delete()
    return removed.get("accounts.User", 0)
