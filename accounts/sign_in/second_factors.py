"""Second factors: encryption of their secrets at rest, and the rule that staff need one.

The admin and the desk require a second factor if `STAFF_SECOND_FACTOR` is on.
"""

from __future__ import annotations

import base64
import hashlib

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _


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


def has_second_factor(request: HttpRequest) -> bool:
    """Return whether this session has used a second factor, or staff need none."""
    if not settings.STAFF_SECOND_FACTOR:
        return True
    return any(record["method"] == "mfa" for record in get_authentication_records(request, request.user))


def ask_for_second_factor(request: HttpRequest) -> HttpResponse:
    """Redirect staff to the page that asks for their second factor, or to the one where they can add it."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    pages = [method["url"] for method in methods if method["id"].startswith("mfa_")]
    if pages:
        back = request.GET.get("next", reverse("admin:index"))  # allauth validates the target
        return redirect(f"{pages[0]}?{urlencode({'next': back})}")
    messages.warning(request, _("Staff need a second factor. Add one here, then come back."))
    return redirect("mfa_index")


def _fernet() -> MultiFernet:
    return MultiFernet(
        [Fernet(_derived_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _derived_key(secret: str) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(b"accounts.mfa:" + secret.encode()).digest())
