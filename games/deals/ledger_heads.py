"""Ledger heads: the last line of each day with new lines, for third parties to keep as evidence.

A head is one line of ASCII, with fields separated by single spaces:

    talon-head-1 <index> <hash> <published>

index, hash and published are those of the ledger line. Anyone with a copy of a head can check that the ledger still
contains it. With `LEDGER_KEY`, heads are signed with Ed25519, so that the site cannot deny having published them.
"""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from functools import cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db.models import Max
from django.db.models.functions import TruncDate

from games.deals.ledger import instant
from games.models import LedgerEntry

FORM: Final = "talon-head-1"


def heads(limit: int) -> list[LedgerEntry]:
    """Return at most `limit` heads, newest first; the first is the ledger's current end."""
    days = LedgerEntry.objects.order_by().values(written=TruncDate("published_at")).annotate(last=Max("index"))
    newest = [day["last"] for day in days.order_by("-last")[:limit]]
    return list(LedgerEntry.objects.filter(index__in=newest).order_by("-index"))


def head_line(entry: LedgerEntry) -> str:
    """Return the head line for a ledger entry, unsigned."""
    return f"{FORM} {entry.index} {entry.hash} {instant(entry.published_at)}"


def signed(entry: LedgerEntry) -> str:
    """Return the head line, with its base64 signature as the last field if the site has a key."""
    line = head_line(entry)
    if not settings.LEDGER_KEY:
        return line
    return f"{line} {b64encode(_key(settings.LEDGER_KEY).sign(line.encode('ascii'))).decode()}"


def as_text(entries: Iterable[LedgerEntry]) -> str:
    """Return the heads as text, one per line."""
    return "".join(f"{signed(entry)}\n" for entry in entries)


def public_key() -> str | None:
    """Return the public key that verifies the signatures, as PEM; None if the site does not sign."""
    if not settings.LEDGER_KEY:
        return None
    public = _key(settings.LEDGER_KEY).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def new_key() -> str:
    """Generate a private key in the format of the `LEDGER_KEY` setting."""
    return urlsafe_b64encode(Ed25519PrivateKey.generate().private_bytes_raw()).rstrip(b"=").decode()


@cache
def _key(text: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(urlsafe_b64decode(text.rstrip("=") + "="))
