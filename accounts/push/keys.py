"""The key by which push services know this site."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid02


def is_on() -> bool:
    """Whether the site has a key, and so reminders in the browser."""
    return bool(settings.VAPID_PRIVATE_KEY)


def public_key() -> str:
    """The key that browsers are given: an uncompressed point on P-256, in base64url."""
    public = _pair(settings.VAPID_PRIVATE_KEY).public_key
    return to_text(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def signed(origin: str) -> dict[str, str]:
    """The header by which the push service at `origin` knows the site, good for a day."""
    pair = _pair(settings.VAPID_PRIVATE_KEY)
    headers: dict[str, str] = pair.sign({"sub": settings.VAPID_CONTACT, "aud": origin})
    return headers


def new_key() -> str:
    """A private key, as it stands in the settings."""
    secret = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return to_text(secret.to_bytes(32, "big"))


def to_text(data: bytes) -> str:
    """Bytes in base64url, without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def to_bytes(text: str) -> bytes:
    """What such a text says.

    :raises ValueError: when it says nothing.
    """
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@cache
def _pair(private: str) -> Any:  # noqa: ANN401 - py_vapid carries no types
    return Vapid02.from_raw(private.encode())
