"""Bans: end a player's sessions and keep the results off the boards until staff lift the ban or it expires.

Nothing is deleted. When a ban ends, the player gets back every rank and rating that would exist without it.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Final

from allauth.usersessions.models import UserSession
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Ban, PushDevice, User
from games.live.sockets.eviction import evict_player
from leaderboards.boards import relisting

log = logging.getLogger(__name__)

#: Batch size for lifting expired bans.
_BATCH: Final = 100


def ban_player(
    user: User,
    why: Ban.Why = Ban.Why.OTHER,
    *,
    until: datetime | None = None,
    note: str = "",
    by: User | None = None,
) -> Ban:
    """End the player's sessions, refuse new ones, and take the results off the boards until ``until``, or for good.

    Replaces a ban in force.
    """
    now = timezone.now()
    with transaction.atomic():
        banned = _locked(user)
        _end(user, Ban.End.REPLACED, now, by)
        ban = Ban.objects.create(player=user, why=why, until=until, note=note, by=by, made_at=now)
        User.objects.filter(pk=user.pk).update(banned_at=banned.banned_at or now, is_active=False)
        end_sessions(user)
        relisting.mark_outdated(user)
    user.refresh_from_db()
    relisting.relist_player(user)
    return ban


def lift_ban(user: User, *, by: User | None = None) -> None:
    """Let the player back in and put the results back on the boards, unless the account has since been deleted."""
    _lift(user, Ban.End.LIFTED, by=by)
    user.refresh_from_db()


def end_due(now: datetime | None = None) -> int:
    """Lift expired bans and return how many were lifted."""
    due = Ban.objects.filter(ended_at=None, until__lte=now or timezone.now(), player__deleted_at=None)
    lifted = 0
    for ban in due.select_related("player").order_by("until")[:_BATCH]:
        try:
            lifted += _lift(ban.player, Ban.End.RAN_OUT, only=ban)
        except (DatabaseError, ValueError):
            log.exception("a ban was not lifted", extra={"ban": ban.pk})
    return lifted


def end_sessions(user: User) -> None:
    """Sign the player out everywhere, including this session."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    for session in UserSession.objects.filter(user=user):
        session.end()
    PushDevice.objects.filter(player=user).delete()
    evict_player(user.pk)


def _lift(user: User, end: Ban.End, *, by: User | None = None, only: Ban | None = None) -> bool:
    """Lift the player's ban, or ``only`` this one if it is still in force; return whether that was done."""
    with transaction.atomic():
        lifts = _locked(user).deleted_at is None
        if only is not None:
            lifts = lifts and Ban.objects.filter(pk=only.pk, ended_at=None).exists()
        if lifts:
            _end(user, end, timezone.now(), by)
            User.objects.filter(pk=user.pk).update(banned_at=None, is_active=True)
            relisting.mark_outdated(user)
    relisting.relist_player(user)
    return lifts


def _locked(user: User) -> User:
    """Lock the player's row, so bans of one player are serialised."""
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _end(user: User, end: Ban.End, now: datetime, by: User | None) -> None:
    Ban.objects.filter(player=user, ended_at=None).update(ended_at=now, end=end, ended_by=by)
