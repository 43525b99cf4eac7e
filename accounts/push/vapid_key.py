"""VAPID key, by which push services identify this site."""

from __future__ import annotations

from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.utils.http import urlsafe_base64_encode
from py_vapid import Vapid02


def is_on() -> bool:
    """Return whether the site has a key, and thus push reminders."""
    return bool(settings.VAPID_PRIVATE_KEY)


def public_key() -> str:
    """Return the public key for browsers: an uncompressed point on P-256, in base64url."""
    public = _pair(settings.VAPID_PRIVATE_KEY).public_key
    return urlsafe_base64_encode(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def signed(origin: str) -> dict[str, str]:
    """Return the VAPID headers for the push service at `origin`, valid for a day."""
    pair = _pair(settings.VAPID_PRIVATE_KEY)
    headers: dict[str, str] = pair.sign({"sub": settings.VAPID_CONTACT, "aud": origin})
    return headers


def new_key() -> str:
    """Generate a private key in the format of the settings."""
    secret = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return urlsafe_base64_encode(secret.to_bytes(32, "big"))


@cache
def _pair(private: str) -> Any:  # noqa: ANN401 - py_vapid carries no types
    return Vapid02.from_raw(private.encode())
