"""Retention rules for account and session rows; see `games.core.retention`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from allauth.account.models import EmailConfirmation
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import HeldName, PushDevice, User
from accounts.sign_in.guests import remove_empty_guests, remove_lost_guests
from games.core.retention import Aged, rows

_DAY: Final = timedelta(days=1)

#: Condition on rows whose session still exists. Ending a session deletes its devices (`accounts.push.devices`), but
#: expiry doesn't, and the session list shown to players outlives the sessions.
_HAS_SESSION: Final = Exists(Session.objects.filter(session_key=OuterRef("session_key")))


def _older(query: QuerySet[Any], field: str) -> Callable[[datetime, int], int]:
    """Return a function that deletes the rows of a query whose field is before a time."""
    return lambda before, size: rows(query.filter(**{f"{field}__lt": before}), size)


KINDS: Final = (
    Aged(User, "guests without a game or a puzzle", 7 * _DAY, remove_empty_guests),
    Aged(
        User,
        "guests inactive for the life of their cookie, with their games",
        timedelta(seconds=settings.SESSION_COOKIE_AGE),
        remove_lost_guests,
        batch=50,
    ),
    Aged(Session, "expired sessions", timedelta(0), "expire_date"),
    Aged(
        UserSession,
        "addresses and browsers of ended sessions",
        _DAY,
        _older(UserSession.objects.exclude(_HAS_SESSION), "created_at"),
    ),
    Aged(
        PushDevice,
        "reminder subscriptions of ended sessions",
        _DAY,
        _older(PushDevice.objects.exclude(_HAS_SESSION), "made_at"),
    ),
    Aged(HeldName, "held names, once their time is up", timedelta(0), "until"),
    Aged(EmailConfirmation, "unanswered confirmations of an email address", 30 * _DAY, "created"),
)
