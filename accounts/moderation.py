"""Bans: sessions end and results leave the boards until the ban is lifted."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from games.live.eviction import evict_player
from leaderboards import ranking


def ban_player(user: User) -> None:
    """End the player's sessions, refuse new ones, and take the results off the boards."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(banned_at=user.banned_at or timezone.now(), is_active=False)
        end_sessions(user)
        ranking.mark_player(user)
    user.refresh_from_db()
    ranking.rank_player(user)


def lift_ban(user: User) -> None:
    """Let the player back in and put the results back on the boards."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk, deleted_at=None).update(banned_at=None, is_active=True)
        ranking.mark_player(user)
    user.refresh_from_db()
    ranking.rank_player(user)


def end_sessions(user: User) -> None:
    """Sign the player out everywhere, including this session."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    for session in UserSession.objects.filter(user=user):
        session.end()
    evict_player(user.pk)
