"""Push subscriptions of players' browsers, and their lifetime. What they are sent is up to the account."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode

from accounts.models import PushDevice, User

#: Maximum number of browsers of one player; a new one replaces the oldest.
MOST: Final = 8
#: Session entry with the primary key of its device, which stays when the session key changes.
_DEVICE: Final = "push_device"
#: Session entry with the session key that was last stored with the device.
_KEY: Final = "push_session"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = re.compile(rf"https://{_LABEL}(?:\.{_LABEL})+/[\x21-\x7e]+")
_LONGEST: Final = 1000
_KEY_BYTES: Final = 65
_AUTH_BYTES: Final = 16


def subscription_of(data: Any) -> PushDevice:  # noqa: ANN401 - whatever was sent
    """Parse a subscription sent by a browser, as an unsaved device without a player.

    It consists of `endpoint`, `p256dh` (the browser's public key, a point on P-256) and `auth` (a secret of 16 bytes),
    the latter two in base64url.

    :raises ValueError: if it is malformed, or its push service is not allowed.
    """
    endpoint, p256dh, auth = (_text(data, name) for name in ("endpoint", "p256dh", "auth"))
    key, secret = urlsafe_base64_decode(p256dh), urlsafe_base64_decode(auth)
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)
    if (len(key), len(secret)) != (_KEY_BYTES, _AUTH_BYTES) or not is_allowed(endpoint):
        raise ValueError("not a subscription")
    return PushDevice(endpoint=endpoint, p256dh=key, auth=secret)


def is_allowed(endpoint: str) -> bool:
    """Return whether messages may be sent to an endpoint: over https, to one of the services in the settings."""
    if not _ADDRESS.fullmatch(endpoint):
        return False
    host = urlsplit(endpoint).hostname or ""
    return any(host == service or host.endswith(f".{service}") for service in settings.PUSH_SERVICES)


def add(player: User, session: SessionBase, subscription: PushDevice, language: str) -> None:
    """Enable reminders for the player in the browser of this session, replacing any other player's."""
    with transaction.atomic():
        end_here(session)
        device, _ = PushDevice.objects.update_or_create(
            endpoint=subscription.endpoint,
            defaults={
                "player": player,
                "p256dh": subscription.p256dh,
                "auth": subscription.auth,
                "language": language,
                "session_key": session.session_key or "",
            },
        )
        newest = PushDevice.objects.filter(player=player).order_by("-pk").values("pk")[:MOST]
        PushDevice.objects.filter(player=player).exclude(pk__in=list(newest.values_list("pk", flat=True))).delete()
    session[_DEVICE], session[_KEY] = device.pk, session.session_key


def renew(old: str, subscription: PushDevice) -> bool:
    """Replace the subscription at the endpoint `old` with a new one; return whether it existed."""
    if not _ADDRESS.fullmatch(old):
        return False
    with transaction.atomic():
        if subscription.endpoint != old:
            # Of two concurrent renewals the second waits here, finds the old row gone, and does not delete the new one.
            if PushDevice.objects.select_for_update().filter(endpoint=old).first() is None:
                return False
            PushDevice.objects.filter(endpoint=subscription.endpoint).delete()
        new = {"endpoint": subscription.endpoint, "p256dh": subscription.p256dh, "auth": subscription.auth}
        return PushDevice.objects.filter(endpoint=old).update(**new) > 0


def is_here(player: User, session: SessionBase) -> bool:
    """Return whether the player gets reminders in the browser of this session."""
    return PushDevice.objects.filter(pk=_device_of(session), player=player).exists()


def follow(session: SessionBase) -> None:
    """Store a changed session key with the device. The key changes after a rotation of the site's secret key."""
    if _DEVICE in session and session.get(_KEY) != session.session_key:
        PushDevice.objects.filter(pk=_device_of(session)).update(session_key=session.session_key or "")
        session[_KEY] = session.session_key


def end_here(session: SessionBase) -> None:
    """End reminders in the browser of this session."""
    PushDevice.objects.filter(pk=_device_of(session)).delete()
    session.pop(_DEVICE, None)
    session.pop(_KEY, None)


def end_session(session_key: str | None) -> None:
    """End reminders in the browser of a session that ends."""
    PushDevice.objects.filter(session_key=session_key or "-").delete()


def end_others(player_id: int, session: SessionBase) -> None:
    """End reminders in a player's other browsers after a password change, which also gave this session a new key."""
    here = _device_of(session)
    PushDevice.objects.filter(player=player_id).exclude(pk=here).delete()
    PushDevice.objects.filter(player=player_id, pk=here).update(session_key=session.session_key or "")


def live_devices(player_id: int) -> QuerySet[PushDevice]:
    """Return the player's browsers with an active session."""
    running = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=timezone.now())
    return PushDevice.objects.filter(Exists(running), player=player_id, player__is_active=True)


def _device_of(session: SessionBase) -> int:
    """Return the primary key of the session's device, 0 for none."""
    return int(session.get(_DEVICE) or 0)


def _text(data: Any, name: str) -> str:  # noqa: ANN401
    text = data.get(name) if isinstance(data, dict) else None
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise ValueError("not a subscription")
    return text
