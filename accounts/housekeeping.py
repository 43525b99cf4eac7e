"""Retention rules for account and session rows; see `games.core.retention`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from allauth.account.models import EmailConfirmation
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef

from accounts.models import HeldName, PushDevice, User
from accounts.sign_in.guests import remove_empty_guests, remove_lost_guests
from games.core.retention import Aged, rows

_DAY: Final = timedelta(days=1)


def _remove_listed_sessions(before: datetime, size: int) -> int:
    """Delete rows of the session list shown to players; they outlive the sessions themselves."""
    session = Exists(Session.objects.filter(session_key=OuterRef("session_key")))
    return rows(UserSession.objects.filter(created_at__lt=before).exclude(session), size)


def _remove_devices(before: datetime, size: int) -> int:
    """Delete devices of expired sessions. A session that is ended takes its devices along (`accounts.push.devices`)."""
    session = Exists(Session.objects.filter(session_key=OuterRef("session_key")))
    return rows(PushDevice.objects.filter(made_at__lt=before).exclude(session), size)


KINDS: Final = (
    Aged(User, "guests without a game", 7 * _DAY, remove_empty_guests),
    Aged(
        User,
        "guests inactive for the life of their cookie, with their games",
        timedelta(seconds=settings.SESSION_COOKIE_AGE),
        remove_lost_guests,
        batch=50,
    ),
    Aged(
        Session,
        "expired sessions",
        timedelta(0),
        lambda before, size: rows(Session.objects.filter(expire_date__lt=before), size),
    ),
    Aged(UserSession, "addresses and browsers of ended sessions", _DAY, _remove_listed_sessions),
    Aged(PushDevice, "reminder subscriptions of ended sessions", _DAY, _remove_devices),
    Aged(
        HeldName,
        "held names, once their time is up",
        timedelta(0),
        lambda before, size: rows(HeldName.objects.filter(until__lt=before), size),
    ),
    Aged(
        EmailConfirmation,
        "unanswered confirmations of an e-mail address",
        30 * _DAY,
        lambda before, size: rows(EmailConfirmation.objects.filter(created__lt=before), size),
    ),
)
