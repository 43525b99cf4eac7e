"""Checks of stored data: static files, encrypted secrets, ledger, boards and records."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any, Final

from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import signing
from django.utils import timezone

from accounts.sign_in.second_factors import SecretsAdapter
from accounts.sign_in.session_store import SessionStore
from config.assets.static import SOURCES, Paths, sources_digest
from config.doctor.finding import Finding
from games.deals import ledger
from games.models import Attempt, Deal
from leaderboards.boards import histogram
from leaderboards.boards.listings import deal_listings
from leaderboards.verdicts.reverification import finished_attempts, reverify

#: Days whose boards are counted again, and the number of the latest games that are replayed.
DAYS: Final = 7
RECORDS: Final = 200
#: Number of sessions and of second factors that are read.
SECRETS: Final = 20


def static_files() -> Iterator[Finding]:
    """Yield that the collected files come from other sources than this version's."""
    if not settings.COLLECTED_STATIC:
        return
    app: Any = apps.get_app_config("staticfiles")
    found: Paths = {}
    for finder in finders.get_finders():
        for name, storage in finder.list(app.ignore_patterns):
            found.setdefault(name, (storage, name))
    stored: Any = staticfiles_storage
    digest = b""
    if stored.exists(SOURCES):
        with stored.open(SOURCES) as file:
            digest = file.read()
    if digest != sources_digest(found):
        cause = f"The static files in {settings.STATIC_ROOT} are missing or of another version."
        yield Finding(
            "static_files", cause, "manage.py collectstatic --noinput, then restart the site", fix="collectstatic"
        )


def secret_key() -> Iterator[Finding]:
    """Yield that neither SECRET_KEY nor a fallback fits what is stored."""
    kinds = [Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES]
    factors = [factor.data for factor in Authenticator.objects.filter(type__in=kinds).order_by("-pk")[:SECRETS]]
    sessions = Session.objects.filter(expire_date__gt=timezone.now()).order_by("-expire_date")[:SECRETS]
    readable = [_has_our_signature(session) for session in sessions]
    lost = sum(not _is_readable(data.get("secret") or data.get("seed")) for data in factors)
    if lost or (readable and not any(readable)):
        cause = f"SECRET_KEY has changed: {lost} second factors and the latest sessions cannot be read."
        yield Finding("secret_key", cause, "put the previous key in SECRET_KEY_FALLBACKS and restart the site")


def ledger_chain() -> Iterator[Finding]:
    """Yield the first fault of the ledger."""
    for fault in islice(ledger.check(), 1):
        yield Finding("ledger", f"The ledger is broken at {fault}.", "manage.py check_ledger, then restore a backup")


def boards() -> Iterator[Finding]:
    """Yield the latest deals whose stored counts differ from a fresh count."""
    since = timezone.now().date() - timedelta(days=DAYS)
    for deal in Deal.objects.filter(day__gte=since).only("pk", "day", "variant"):
        if any(histogram.faults(listing) for listing in deal_listings(deal.pk)):
            cause = f"The boards of {deal.variant} of {deal.day} differ from a fresh count."
            yield Finding("board", cause, f"manage.py verify --deal {deal.day}/{deal.variant}")


def records() -> Iterator[Finding]:
    """Yield the latest verified games whose records no longer give the stored result."""
    latest = finished_attempts().filter(state=Attempt.State.VERIFIED).order_by("-pk")[:RECORDS]
    for attempt in latest:
        if reverify(attempt, dry_run=True).changed:
            cause = f"The record of game {attempt.public_id} no longer gives its stored result."
            yield Finding("record", cause, f"manage.py verify {attempt.public_id}")


def _is_readable(secret: str | None) -> bool:
    try:
        return secret is None or bool(SecretsAdapter().decrypt(secret))
    except InvalidToken:
        return False


def _has_our_signature(session: Session) -> bool:
    store: Any = SessionStore()
    try:
        signing.loads(session.session_data, salt=store.key_salt, serializer=store.serializer)
    except signing.BadSignature:
        return False
    return True
