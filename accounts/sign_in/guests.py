"""Guest players: creation, merging into accounts, and cleanup.

A guest is created at the first play and signed in with an ordinary session, so the rest of the service only knows
players. Signing up turns the guest's row into the account; signing in to an existing account moves the guest's attempts
there, as practice, and the tries and storms of puzzles, and deletes the row. Guests who do not come back are deleted
(`accounts.housekeeping`).
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
from accounts.names.validation import guest_name
from games.db.players import Player
from games.ghosts.models import Challenge
from games.inbox import notices
from games.models import Attempt
from games.puzzles import tries
from games.puzzles.models import PuzzleRun, PuzzleTry
from games.puzzles.runs import puzzle_runs
from games.races import seats
from leaderboards.models import Result

BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"

_TRIES: Final = 3

#: Prefix of the usernames of bots, which are guests that are never deleted. No player's name has a colon.
_BOT: Final = "house-racer:"


def player_for(request: HttpRequest) -> User:
    """Return the player of this session, creating and signing in a guest if there is none."""
    if request.user.is_authenticated:
        request.session.modified = True  # playing renews the cookie: a guest who loses it cannot return
        return request.user
    guest = create_guest()
    sign_in(request, guest)
    return guest


def sign_in(request: HttpRequest, guest: Player) -> None:
    """Sign a new guest in to the session."""
    assert isinstance(guest, User)
    login(request, guest, backend=BACKEND)


def create_guest() -> User:
    """Create a guest: a player without a password, an email address or a reserved name."""
    now = timezone.now()
    return User.objects.create(
        username=f"guest-{secrets.token_hex(12)}",
        password=f"{UNUSABLE_PASSWORD_PREFIX}{secrets.token_hex(20)}",  # unusable, and different for every guest
        display_name=guest_name(),
        is_guest=True,
        date_joined=now,
        last_login=now,
    )


def bot_player(slug: str, name: str) -> User:
    """Return the bot's player, a guest without a password; its first race creates the row."""
    fields = {"display_name": name, "is_guest": True, "password": f"{UNUSABLE_PASSWORD_PREFIX}{secrets.token_hex(20)}"}
    return User.objects.get_or_create(username=f"{_BOT}{slug}", defaults=fields)[0]


def merge_guest(guest: User, user: User) -> int:
    """Move the attempts of ``guest`` to ``user``, delete the guest, and return how many ranked ones became practice.

    All of them do: otherwise the best of several guests could be handed to an account. The deals count as begun by the
    account, so it cannot start them again for a rank. A player cannot be in two races at once: if ``user`` is in one,
    the guest loses the seat, and a game in a running race goes on without a name.

    :raises ValueError: if they are not a guest and an account.
    """
    if not guest.is_guest or user.is_guest:
        raise ValueError("only a guest is merged, and only into an account")
    for tries_left in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                return _merge(guest, user)
        except IntegrityError:  # the account took a seat or began a puzzle of the guest's concurrently: a retry sees it
            if not tries_left:
                raise
    return 0


def _merge(guest: User, user: User) -> int:
    # Lock order: rooms before players (docs/races.md).
    seats.lock_rooms(guest.pk)
    # Lock players by ascending id, like everywhere (docs/boards.md, Locks). The account's row is locked FOR NO KEY
    # UPDATE: an attempt that starts concurrently needs the row for its foreign key. It must not wait for this
    # transaction, which may have to wait for it.
    locked = {
        key: User.objects.select_for_update(no_key=key == user.pk).filter(pk=key, is_guest=key == guest.pk).exists()
        for key in sorted((guest.pk, user.pk))
    }
    if not all(locked.values()):  # another tab was first
        return 0
    Result.objects.filter(player=guest).delete()  # guests' results are on no board
    counted = Attempt.objects.filter(player=guest, ranked=True).update(ranked=False)
    Attempt.objects.filter(player=guest).update(player=user)
    seats.hand_over(guest.pk, user.pk)
    Challenge.objects.filter(sender=guest).update(sender=user)
    notices.hand_over(guest.pk, user.pk, since=guest.date_joined)
    tries.hand_over(guest.pk, user.pk)
    puzzle_runs.hand_over(guest.pk, user.pk)
    User.objects.filter(pk=guest.pk).delete()
    return counted


def remove_empty_guests(before: datetime, size: int) -> int:
    """Delete up to ``size`` guests created before then who have not played, and return the number deleted."""
    return _remove(_guests(before).filter(attempts=None, puzzle_tries=None, puzzle_runs=None), size)


def remove_lost_guests(before: datetime, size: int) -> int:
    """Delete up to ``size`` guests who have not started a game, puzzle or storm since ``before``, with their games.

    Return the number of deleted guests. Each new game renews the cookie, and a guest cannot return without it.
    """
    started = Exists(Attempt.objects.filter(player=OuterRef("pk"), started_at__gte=before))
    tried = Exists(PuzzleTry.objects.filter(player=OuterRef("pk"), begun_at__gte=before))
    stormed = Exists(PuzzleRun.objects.filter(player=OuterRef("pk"), day__gte=before.date()))
    return _remove(_guests(before).exclude(started | tried | stormed), size)


def _guests(before: datetime) -> QuerySet[User]:
    return User.objects.filter(is_guest=True, date_joined__lt=before).exclude(username__startswith=_BOT)


def _remove(idle: QuerySet[User], size: int) -> int:
    oldest = idle.order_by("date_joined")
    with transaction.atomic():
        # Attempts that these guests start from here on wait; those started before are seen by the second query.
        locked = User.objects.select_for_update().filter(pk__in=list(oldest.values_list("pk", flat=True)[:size]))
        keys = [guest.pk for guest in locked.order_by("pk")]
        _, removed = User.objects.filter(pk__in=list(idle.filter(pk__in=keys).values_list("pk", flat=True))).delete()
    return removed.get("accounts.User", 0)
