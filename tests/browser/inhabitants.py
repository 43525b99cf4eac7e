"""Gives a site what every one of its pages needs to be visited: players of several kinds, games, keys, mails' links.

`python -m tests.browser.inhabitants` works on the database that the settings name; what it prints as JSON are the
session cookie of each visitor, and the parts of addresses.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import Any

import django

PASSWORD = "nine of wands and a cup"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def inhabit() -> dict[str, Any]:
    """Make everything; returns the visitors' cookies under `cookies` and the addresses' parts under `parts`."""
    from allauth.account.forms import default_token_generator
    from allauth.account.models import EmailAddress, EmailConfirmationHMAC
    from allauth.account.utils import user_pk_to_url_str

    from accounts.models import Follow, User
    from games.models import Deal
    from leaderboards.settlement import settle

    member = User.objects.create_user(username="Ariadne", password=PASSWORD, email="ariadne@example.org")
    EmailAddress.objects.create(user=member, email=member.email, verified=True, primary=True)
    waiting = EmailAddress.objects.create(user=member, email="naxos@example.org", verified=False)
    guarded = User.objects.create_user(username="Icarus", password=PASSWORD)
    key = _protect(guarded)
    plain = User.objects.create_user(username="Theseus", password=PASSWORD)
    keyless = User.objects.create_user(username="Phaedra")
    Follow.objects.create(follower=member, followed=guarded)
    old = Deal.objects.get(solution__isnull=False)
    today = Deal.objects.filter(solution__isnull=True, variant="stonewall").earliest("day")
    finished = _finished(member, old)
    assert settle(finished.pk) is not None
    token = default_token_generator.make_token(member)
    return {
        "cookies": {
            "member": _cookie(member, confirmed=True),
            "guarded": _cookie(guarded, confirmed=True),
            "plain": _cookie(plain, confirmed=True),
            "keyless": _cookie(keyless),
            "unconfirmed": _cookie(member),
            "unconfirmed guarded": _cookie(guarded),
            "half-way": _half_way(guarded),
        },
        "parts": {
            "today": str(today.day),
            "past": str(old.day),
            "month": str(today.day)[:7],
            "finished": str(finished.public_id),
            "running": str(_running(member, today).public_id),
            "member": str(member.public_id),
            "guarded": str(guarded.public_id),
            "key": key,
            "confirmation": EmailConfirmationHMAC(waiting).key,
            "reset": f"{user_pk_to_url_str(member)}-{token}",
            "deal": today.pk,
        },
    }


def _protect(user: Any) -> int:
    """Give a player an app, recovery codes and a passkey; returns the passkey's key."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP
    from allauth.mfa.webauthn.internal.auth import WebAuthn
    from cryptography.hazmat.primitives.asymmetric import ec
    from fido2.cose import ES256
    from fido2.utils import websafe_encode
    from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)
    public = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())  # type: ignore[no-untyped-call]
    data = AttestedCredentialData.create(Aaguid.NONE, b"passkey of Icarus", public)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV | AuthenticatorData.FLAG.AT
    attestation = AttestationObject.create("none", AuthenticatorData.create(bytes(32), flags, 0, data), {})
    client = CollectedClientData.create("webauthn.create", b"challenge", "http://127.0.0.1")
    credential = {
        "id": websafe_encode(b"passkey of Icarus"),
        "rawId": websafe_encode(b"passkey of Icarus"),
        "type": "public-key",
        "response": {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attestation)},
        "clientExtensionResults": {},
    }
    return int(WebAuthn.add(user, "A key of wax", credential).instance.pk)


def _finished(player: Any, deal: Any) -> Any:
    """A won game of a past deal, played while it was open."""
    from games.models import Attempt
    from games.rules import Record

    record = Record.from_bytes(bytes(deal.solution))
    return Attempt.objects.create(
        player=player,
        deal=deal,
        ranked=True,
        state=Attempt.State.PENDING,
        started_at=deal.opens_at,
        finished_at=deal.opens_at + timedelta(milliseconds=record.end.ms),
        end=Attempt.End.WON,
        record=record.to_bytes(),
    )


def _running(player: Any, deal: Any) -> Any:
    from games.attempts import start_attempt

    return start_attempt(player, deal)


def _cookie(user: Any, *, confirmed: bool = False) -> str:
    """The cookie of a player who is signed in, and has perhaps just confirmed the password."""
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[-1])
    if confirmed:
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _half_way(user: Any) -> str:
    """The cookie of somebody who has given the password, and not yet the second factor."""
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    client = Client(headers={"host": "127.0.0.1"})
    answer = client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert answer["Location"] == reverse("mfa_authenticate"), answer
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    json.dump(inhabit(), sys.stdout)
