"""Ledger heads: the lines they cover, their signatures, and where they are published."""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from games.deals import ledger, ledger_heads, publishing
from games.models import LedgerEntry
from tests.deals import make_deal
from tests.games import certified

FIRST = datetime(2026, 11, 1, 12, tzinfo=UTC)
ATOM = {"atom": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def lines(db: None) -> list[LedgerEntry]:
    """Create two ledger lines on each of three days."""
    found = []
    for day in range(3):
        for hour, variant in enumerate(("plot", "stonewall")):
            written = FIRST + timedelta(days=day, hours=hour)
            found.append(ledger.append(make_deal(variant, day=(FIRST + timedelta(days=day + 2)).date()), written))
    return found


@pytest.fixture
def key(settings: Any) -> None:
    """The signing key of a site that signs its heads."""
    settings.LEDGER_KEY = ledger_heads.new_key()


def written() -> str:
    out = StringIO()
    call_command("ledger_head", stdout=out)
    return out.getvalue().strip()


def test_the_last_line_of_each_day_is_a_head(lines: list[LedgerEntry], client: Client) -> None:
    answer = client.get("/ledger/heads.txt")
    assert answer["Content-Type"].startswith("text/plain")
    third, second, first = answer.content.decode().splitlines()
    assert first == f"talon-head-1 1 {lines[1].hash} 2026-11-01T13:00:00Z"
    assert second == f"talon-head-1 3 {lines[3].hash} 2026-11-02T13:00:00Z"
    assert third == f"talon-head-1 5 {lines[5].hash} 2026-11-03T13:00:00Z" == written()


def test_the_text_has_a_limited_number_of_heads(lines: list[LedgerEntry]) -> None:
    assert [entry.index for entry in ledger_heads.heads(2)] == [5, 3]


def test_the_feed_lists_each_head_under_a_unique_id(lines: list[LedgerEntry], client: Client) -> None:
    answer = client.get("/ledger/heads.atom")
    assert answer["Content-Type"].startswith("application/atom+xml")
    entries = ET.fromstring(answer.content).findall("atom:entry", ATOM)
    assert [entry.findtext("atom:id", None, ATOM) for entry in entries] == [
        f"urn:sha256:{lines[index].hash}" for index in (5, 3, 1)
    ]
    assert entries[0].findtext("atom:summary", None, ATOM) == ledger_heads.head_line(lines[5])
    assert entries[0].findtext("atom:updated", None, ATOM) == "2026-11-03T13:00:00+00:00"
    link = entries[0].find("atom:link", ATOM)
    assert link is not None
    page = client.get(link.attrib["href"])
    assert f'id="line-{lines[5].index}"' in page.content.decode()
    assert "/ledger/heads.atom" in client.get("/ledger/").content.decode()


def test_every_head_is_signed_by_the_published_key(lines: list[LedgerEntry], key: None, client: Client) -> None:
    public = load_pem_public_key(client.get("/.well-known/talon-ledger.pem").content)
    assert isinstance(public, Ed25519PublicKey)
    for signed in [*client.get("/ledger/heads.txt").content.decode().splitlines(), written()]:
        head, _space, signature = signed.rpartition(" ")
        public.verify(b64decode(signature), head.encode())
        with pytest.raises(InvalidSignature):
            public.verify(b64decode(signature), head.replace("talon-head-1 ", "talon-head-1 1").encode())


def test_a_site_without_a_key_shows_none(lines: list[LedgerEntry], client: Client) -> None:
    assert client.get("/.well-known/talon-ledger.pem").status_code == 404


def test_a_new_key_is_a_valid_setting(client: Client, settings: Any) -> None:
    out = StringIO()
    call_command("ledger_head", "--new-key", stdout=out)
    name, _equals, value = out.getvalue().strip().partition("=")
    assert (name, len(value)) == ("LEDGER_KEY", 43)
    settings.LEDGER_KEY = value
    assert client.get("/.well-known/talon-ledger.pem").content.startswith(b"-----BEGIN PUBLIC KEY-----")


def test_a_ledger_without_lines_has_no_head(db: None, client: Client) -> None:
    assert client.get("/ledger/heads.txt").content == b""
    assert client.get("/ledger/heads.atom").status_code == 200
    with pytest.raises(CommandError, match="no line yet"):
        written()


@pytest.mark.parametrize(
    "path", ["/deals/{day}/{variant}/", "/deals/{day}/{variant}/solution/"], ids=["deal", "solution"]
)
def test_pages_of_a_revealed_deal_link_to_the_check(path: str, revealed: LedgerEntry, client: Client) -> None:
    page = client.get(path.format(day=revealed.day, variant=revealed.variant)).content.decode()
    assert f"/verify/?link=/deals/{revealed.day}/{revealed.variant}/" in page


@pytest.fixture
def revealed(db: None) -> LedgerEntry:
    """Return the ledger line of a revealed, proven deal."""
    certified.seal("stonewall")
    deals = publishing.ensure_deals(timezone.now().date() - timedelta(days=2), ahead=0)
    return LedgerEntry.objects.get(deal=next(deal for deal in deals if deal.proven))
