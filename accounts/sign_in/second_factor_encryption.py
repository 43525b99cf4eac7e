"""Encryption at rest for the secrets of second factors."""

from __future__ import annotations

import base64
import hashlib

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


class SecretsAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth carries no types
    """MFA adapter that encrypts TOTP and recovery-code seeds, so a copy of the database is not enough to make codes.

    The key is derived from ``SECRET_KEY``. Secrets encrypted under one of ``SECRET_KEY_FALLBACKS`` can still be read.
    """

    def encrypt(self, text: str) -> str:
        """Encrypt a secret for the database."""
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt the result of :meth:`encrypt`.

        :raises cryptography.fernet.InvalidToken: if neither the key nor a fallback fits.
        """
        return _fernet().decrypt(encrypted_text.encode()).decode()


def _fernet() -> MultiFernet:
    return MultiFernet(
        [Fernet(_derived_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _derived_key(secret: str) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(b"accounts.mfa:" + secret.encode()).digest())
