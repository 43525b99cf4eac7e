"""Ledger: its lines and signed heads, tamper evidence, and what its pages reveal when."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from games.core import limits
from games.deals import ledger, ledger_heads, publishing
from games.models import Deal, LedgerEntry
from games.pages.info import ledger_page as ledger_pages
from games.presentation import titles
from games.rules import CATALOGUE, RULES_VERSION, shuffled_deck
from tests import factories
from tests.factories import make_deal, seal_deal

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def published(db: None) -> list[Deal]:
    factories.seal_all_variants()
    return publishing.ensure_deals(timezone.now().date() - timedelta(days=2), ahead=0)


def faults() -> list[str]:
    return [fault.code for fault in ledger.check()]


def test_a_line_matches_its_page(published: list[Deal]) -> None:
    first, second = LedgerEntry.objects.all()[:2]
    entry = first
    entry.opens_at = datetime(2026, 11, 21, tzinfo=UTC)
    entry.published_at = datetime(2026, 11, 19, 0, 7, 3, tzinfo=UTC)
    entry.day = entry.opens_at.date()
    entry.commitment = "ab" * 32
    assert ledger.line(entry) == (
        f"talon-ledger-1 0 braid 2026-11-21 1 proven {'ab' * 32} 2026-11-21T00:00:00Z 2026-11-19T00:07:03Z {'0' * 64}"
    )
    assert second.previous == LedgerEntry.objects.get(index=0).hash
    assert second.hash == sha256(ledger.line(second).encode()).hexdigest()


def change(**fields: Any) -> Callable[[], object]:
    return lambda: LedgerEntry.objects.filter(index=4).update(**fields)


def change_deal(**fields: Any) -> Callable[[], object]:
    return lambda: Deal.objects.filter(ledger_entry__index=4).update(**fields)


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (change(commitment="0" * 64), {"wrong_hash", "changed_deal", "wrong_seed"}),
        (change(published_at=datetime(2020, 1, 1, tzinfo=UTC)), {"wrong_hash"}),
        (change(proven=False), {"wrong_hash", "changed_deal"}),
        (change(hash="1" * 64), {"wrong_hash", "broken_chain"}),
        (change(previous="1" * 64), {"wrong_hash", "broken_chain"}),
        (lambda: LedgerEntry.objects.filter(index=4).delete(), {"missing_line", "broken_chain", "unlisted_deal"}),
        (lambda: LedgerEntry.objects.filter(index=0).delete(), {"missing_line", "broken_chain", "unlisted_deal"}),
        (lambda: LedgerEntry.objects.filter(index=8).delete(), {"unlisted_deal"}),
        (change_deal(seed=bytes(32)), {"wrong_seed", "wrong_record"}),
        (change_deal(solution=b"TLN"), {"wrong_record"}),
        (change_deal(solution=None), {"wrong_record"}),
        (change_deal(par=1), {"wrong_record"}),
        (change_deal(commitment="2" * 64), {"changed_deal"}),
        (change_deal(day=datetime(2020, 1, 1, tzinfo=UTC).date()), {"changed_deal"}),
    ],
)
def test_tampering_is_detected(published: list[Deal], tamper: Callable[[], object], expected: set[str]) -> None:
    tamper()
    assert set(faults()) == expected
    with pytest.raises(SystemExit) as ended:
        call_command("check_ledger", stdout=StringIO())
    assert ended.value.code == 1


def test_a_rewritten_ledger_lacks_the_hash_noted_earlier(published: list[Deal]) -> None:
    noted = LedgerEntry.objects.get(index=8).hash
    call_command("check_ledger", "--head", noted, stdout=StringIO())
    before = ledger.BEGINNING
    for entry in LedgerEntry.objects.order_by("index"):
        entry.published_at -= timedelta(days=1)
        entry.previous = before
        entry.hash = before = ledger.line_hash(entry)
        entry.save()
    assert faults() == []
    with pytest.raises(SystemExit):
        call_command("check_ledger", "--head", noted, stdout=StringIO())


def test_the_json_can_be_checked_with_sha256_alone(published: list[Deal], client: Client) -> None:
    data = client.get("/api/v1/ledger").json()
    before = "0" * 64
    for entry in data["entries"]:
        assert entry["line"].split(" ")[-1] == before
        before = sha256(entry["line"].encode()).hexdigest()
        assert before == entry["hash"]
        assert sha256(bytes.fromhex(entry["seed"])).hexdigest() == entry["commitment"] == entry["line"].split(" ")[6]
    assert len(data["entries"]) == len(CATALOGUE)
    assert data["next"] is None


def test_the_ledger_can_be_read_from_any_line(
    published: list[Deal], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MOST_LINES", 5)
    monkeypatch.setattr(ledger_pages, "PAGE_LINES", 5)
    first = client.get("/api/v1/ledger").json()
    assert (len(first["entries"]), first["next"]) == (5, 5)
    rest = client.get("/api/v1/ledger", {"first": 5}).json()
    assert ([entry["index"] for entry in rest["entries"]], rest["next"]) == ([5, 6, 7, 8], None)
    page = client.get("/ledger/").content.decode()
    assert LedgerEntry.objects.get(index=4).hash in page
    assert 'href="?before=4"' in page
    assert 'href="?before' not in client.get("/ledger/", {"before": 4}).content.decode()


def test_the_winning_record_is_released_with_the_seed(published: list[Deal], client: Client, tmp_path: Path) -> None:
    for deal in published:
        address = f"/deals/{deal.day}/{deal.variant}/"
        deal_page = client.get(address).content.decode()
        assert f"{address}solution/" in deal_page
        page = client.get(f"{address}solution/").content.decode()
        assert f"/verify/?link={address}" in deal_page
        assert f"/verify/?link={address}" in page
        assert f"{address}solution/steps.json" in page
        assert f"{address}solution/record.json" in page
        steps = client.get(f"{address}solution/steps.json").json()
        assert steps["moved"][-1]["changes"]["won"]
        assert client.get(f"{address}deal.json").json()["solution"]["end"]["how"] == "won"
    record = client.get(f"{address}solution/record.json")
    assert "attachment" in record["Content-Disposition"]
    file = tmp_path / "record.json"
    file.write_bytes(record.content)
    command = [sys.executable, "-m", "games.rules", "verify", str(file)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (checked.returncode, "verified: won" in checked.stdout) == (0, True)


@pytest.mark.parametrize("index", ["²", "٣", "-1", "1.5", "x", ""])
def test_an_invalid_index_is_ignored(published: list[Deal], client: Client, index: str) -> None:
    assert 'id="line-8"' in client.get("/ledger/", {"before": index}).content.decode()


def test_the_page_names_each_deal_and_the_ledgers_end(published: list[Deal], client: Client) -> None:
    page = client.get("/ledger/").content.decode()
    entries = list(LedgerEntry.objects.order_by("-index"))
    row = r'<b>(.+?)</b> <time.*?>(.+?)</time>.*?<span class="note">#(\d+)</span>\s*</summary>.*?<a href="(.+?)"'
    assert re.findall(row, page, re.DOTALL) == [
        (
            titles.VARIANT_TITLES[entry.variant],
            date_format(entry.day, "DATE_FORMAT"),
            str(entry.index),
            f"/deals/{entry.day}/{entry.variant}/",
        )
        for entry in entries
    ]
    assert re.search(r'Latest line</h2><p class="code">(.+?)</p>', page)[1] == entries[0].hash  # type: ignore[index]


def test_a_deals_file_suffices_to_deal_it_again(published: list[Deal], client: Client) -> None:
    deal = [deal for deal in published if deal.options][-1]
    seed, name = bytes(deal.seed), f"talon-{deal.variant}-{deal.day}"
    answer = client.get(f"/deals/{deal.day}/{deal.variant}/deal.json")
    assert answer.json() == {
        "rules": RULES_VERSION,
        "variant": deal.variant,
        "game": deal.game,
        "options": deal.options,
        "day": str(deal.day),
        "commitment": deal.commitment,
        "ledger_index": deal.ledger_entry.index,
        "seed": seed.hex(),
        "deck": shuffled_deck(deal.variant, seed),
        "solution": client.get(f"/deals/{deal.day}/{deal.variant}/solution/record.json").json(),
    }
    assert answer["Content-Disposition"] == f'attachment; filename="{name}.json"'
    record = client.get(f"/deals/{deal.day}/{deal.variant}/solution/record.json")
    assert record["Content-Disposition"] == f'attachment; filename="{name}-solution.json"'
    Deal.objects.filter(pk=deal.pk).update(solution=None)
    assert client.get(f"/deals/{deal.day}/{deal.variant}/deal.json").json()["solution"] is None


def test_a_deals_page_shows_when_it_was_announced(published: list[Deal], client: Client) -> None:
    deal = published[3]
    LedgerEntry.objects.filter(deal=deal).update(published_at=datetime(2026, 11, 19, 0, 7, 3, tzinfo=UTC))
    page = client.get(f"/deals/{deal.day}/{deal.variant}/").content.decode()
    assert ">19 November 2026, 00:07 UTC</time> in the" in page


def test_solution_searches_are_bounded(published: list[Deal], client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "replay", "2/m")
    address = f"/deals/{published[0].day}/{published[0].variant}/solution/steps.json"
    assert [client.get(address).status_code for _ in range(3)] == [200, 200, 429]


def test_each_day_has_its_own_solution(published: list[Deal], client: Client) -> None:
    seal_deal("stonewall", 1)
    today = timezone.now().date()
    publishing.ensure_deals(today, ahead=0)
    assert client.get(f"/deals/{published[0].day}/stonewall/solution/").status_code == 200
    assert client.get(f"/deals/{today}/stonewall/solution/").status_code == 403


def test_an_unproven_deal_has_no_solution(db: None, client: Client) -> None:
    day = timezone.now().date() - timedelta(days=2)
    publishing.ensure_deals(day, ahead=0)
    assert client.get(f"/deals/{day}/braid/solution/").status_code == 404
    assert client.get(f"/deals/{day}/patience/solution/").status_code == 404
    page = client.get(f"/deals/{day}/braid/").content.decode()
    assert "We don't know if it can be won." in page


def test_a_site_without_deals_has_an_empty_ledger(db: None, client: Client) -> None:
    assert client.get("/ledger/").status_code == 200
    assert json.loads(client.get("/api/v1/ledger").content)["entries"] == []


FIRST = datetime(2026, 11, 1, 12, tzinfo=UTC)
ATOM = {"atom": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def lines(db: None) -> list[LedgerEntry]:
    found = []
    for day in range(3):
        for hour, variant in enumerate(("plot", "stonewall")):
            written = FIRST + timedelta(days=day, hours=hour)
            found.append(ledger.append(make_deal(variant, day=(FIRST + timedelta(days=day + 2)).date()), written))
    return found


@pytest.fixture
def key(settings: Any) -> None:
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
