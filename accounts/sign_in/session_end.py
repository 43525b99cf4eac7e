"""Session termination: close the WebSockets of ended sessions and remove their push devices.

Bans and deletions go through `accounts.lifecycle.bans`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.account.signals import password_changed, password_reset, password_set
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User
from accounts.push import devices
from games.live.sockets.eviction import evict_player, evict_session


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]  # allauth carries no types
    """allauth adapter for sessions that a player ends from the list of sessions."""

    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        """End the sessions, close their sockets and remove their push devices."""
        super().end_sessions(sessions)
        for session in sessions:
            evict_session(session.session_key)
            devices.end_session(session.session_key)


@receiver(user_logged_out)
def signed_out(request: HttpRequest, **_: Any) -> None:  # noqa: ANN401
    """Close the sockets of the session that signed out, and stop reminders in its browser."""
    evict_session(request.session.session_key)
    devices.end_session(request.session.session_key)


@receiver([password_changed, password_reset, password_set])
def password_is_new(request: HttpRequest, user: User, **_: Any) -> None:  # noqa: ANN401
    """Close all of the player's sockets. A new password ends all other sessions; this one reconnects."""
    evict_player(user.pk)
    devices.end_others(user.pk, request.session)
