"""Numbered and starter deals: reproducible or known to win, and never ranked where a player can know them."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from games.attempts.lifecycle import DealClosedError
from games.deals import numbered_deals, practice_deals, publishing, starter_deals
from games.deals.certification import Certificate
from games.deals.difficulty import GRADES, longest_par, target_grade
from games.management.commands import make_starter_deals
from games.models import AwaitedDeal, Deal, SealedDeal
from games.rules import CATALOGUE, Variant
from tests.config.running import run
from tests.factories import make_deal, seal_deal, won_records

STONEWALL, PLOT = CATALOGUE["stonewall"], CATALOGUE["plot"]


def test_the_seed_has_the_documented_form() -> None:
    series = sha256(b"talon numbered deal\nstonewall\n{}").digest()[:24]
    assert numbered_deals.seed_of(STONEWALL, 4711) == series + (4711).to_bytes(8, "big")


def test_a_deal_shows_its_number_which_is_per_game(db: None) -> None:
    deal = publishing.seeded_deal(STONEWALL, numbered_deals.seed_of(STONEWALL, 12))
    assert numbered_deals.number_of(deal) == 12
    assert numbered_deals.number_of(publishing.seeded_deal(PLOT, numbered_deals.seed_of(PLOT, 12))) == 12
    assert numbered_deals.number_of(make_deal("plot")) is None
    seeds = {numbered_deals.seed_of(variant, 12) for variant in CATALOGUE.values()}
    assert len(seeds) == len(CATALOGUE)


@pytest.mark.parametrize("number", [0, -1, numbered_deals.LARGEST + 1])
def test_numbers_have_an_upper_limit(number: int) -> None:
    with pytest.raises(ValueError, match="numbered"):
        numbered_deals.seed_of(STONEWALL, number)


def test_practice_without_a_choice_is_a_numbered_deal(db: None) -> None:
    assert numbered_deals.number_of(publishing.practice_deal("tarot", {"draw": 1})) is not None


def test_the_same_seed_is_the_same_deal_with_its_proof(db: None) -> None:
    record = won_records("stonewall")[0]
    deal = publishing.seeded_deal(STONEWALL, record.seed)
    assert not deal.proven
    proof = Certificate(record, None, 2)
    again = publishing.seeded_deal(STONEWALL, record.seed, proof)
    assert (again.pk, again.proven, again.grade, again.par) == (deal.pk, True, 2, len(record.tokens))
    assert publishing.seeded_deal(STONEWALL, record.seed).proven


def test_a_seed_belongs_to_one_game(db: None) -> None:
    seed = numbered_deals.seed_of(STONEWALL, 5)
    publishing.seeded_deal(STONEWALL, seed)
    with pytest.raises(ValueError, match="another game"):
        publishing.seeded_deal(PLOT, seed)


@pytest.mark.parametrize("kind", ["today", "race", "sealed"])
def test_a_seed_that_may_be_ranked_is_refused(kind: str, db: None) -> None:
    seed = secrets.token_bytes(32)
    if kind == "today":
        make_deal("plot", seed=seed)
    elif kind == "race":
        publishing.make_deal(PLOT, None, opens_at=timezone.now(), for_race=True, seed=seed)
    else:
        seed = bytes(seal_deal("plot").seed)
    before = Deal.objects.count()
    with pytest.raises(DealClosedError):
        publishing.seeded_deal(PLOT, seed)
    assert Deal.objects.count() == before


def test_a_past_deals_seed_returns_that_deal(yesterday: Deal) -> None:
    variant = Variant(yesterday.variant, yesterday.game, yesterday.options)
    assert publishing.seeded_deal(variant, bytes(yesterday.seed)) == yesterday


def test_concurrent_requests_return_the_same_deal(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, sealed = numbered_deals.seed_of(PLOT, 9), SealedDeal.objects

    class Beaten:
        """Stand-in for a lookup that another player beats just before the deal is created."""

        @property
        def objects(self) -> Any:
            publishing.make_deal(PLOT, None, opens_at=timezone.now(), seed=seed)
            return sealed

    monkeypatch.setattr(publishing, "SealedDeal", Beaten())
    assert numbered_deals.number_of(publishing.seeded_deal(PLOT, seed)) == 9
    assert Deal.objects.count() == 1


NOW = datetime(2026, 11, 24, 9, tzinfo=UTC)


@pytest.fixture
def allowed(settings: Any) -> None:
    """An embedded site: it allows starter deals and certifies others."""
    settings.STARTER_DEALS, settings.SEALED_STOCK, settings.DEAL_PATIENCE = True, 1, 300


def test_every_shipped_line_wins_its_deal() -> None:
    for deal in starter_deals.shipped():
        found = deal.certificate  # replays the line
        assert (found.record.name, found.record.seed, found.grade) == (deal.variant, deal.seed, deal.grade)
        assert found.par <= longest_par(deal.variant), deal


def test_each_variant_has_enough_starter_deals_of_every_grade() -> None:
    rows = Counter((deal.variant, deal.grade, deal.number is not None) for deal in starter_deals.shipped())
    each = [(name, grade) for name in CATALOGUE for grade in GRADES]
    assert rows == {(*one, False): 1 for one in each} | {(*one, True): 2 for one in each}
    assert len({deal.seed for deal in starter_deals.shipped()}) == len(starter_deals.shipped())


@pytest.mark.usefixtures("db", "allowed")
def test_the_first_day_has_nine_proven_starter_deals() -> None:
    dealt = publishing.todays_deals(NOW)
    assert [deal.variant for deal in dealt] == list(CATALOGUE)
    assert all(deal.proven and deal.starter and deal.solution for deal in dealt)
    assert [deal.grade for deal in dealt] == [target_grade(name, NOW.date()) for name in CATALOGUE]


@pytest.mark.usefixtures("db", "allowed")
def test_coming_days_wait_for_other_deals() -> None:
    publishing.ensure_deals(NOW.date(), now=NOW)
    assert Deal.objects.count() == len(CATALOGUE)
    assert AwaitedDeal.objects.count() == 2 * len(CATALOGUE)
    seal_deal("braid")
    publishing.ensure_deals(NOW.date(), now=NOW + publishing.LONG_PATIENCE)
    tomorrow = NOW + timedelta(days=1)
    assert [(deal.variant, deal.starter) for deal in Deal.objects.filter(day=tomorrow)] == [("braid", False)]
    assert [deal.starter for deal in publishing.todays_deals(tomorrow)] == [False] + [True] * (len(CATALOGUE) - 1)
    assert Deal.objects.values("seed").distinct().count() == 2 * len(CATALOGUE)


@pytest.mark.usefixtures("db", "allowed")
def test_certified_deals_come_before_starter_deals() -> None:
    seal_deal("stonewall")
    dealt = {deal.variant: deal.starter for deal in publishing.todays_deals(NOW)}
    assert dealt == {name: name != "stonewall" for name in CATALOGUE}


@pytest.mark.usefixtures("db", "allowed")
def test_site_without_unused_starter_deals_still_deals() -> None:
    for days in range(6):
        publishing.todays_deals(NOW + timedelta(days=days))
    assert Deal.objects.filter(starter=True).count() == 5 * len(CATALOGUE)
    assert Deal.objects.filter(proven=False).count() == len(CATALOGUE)


@pytest.mark.usefixtures("db")
def test_other_sites_deal_no_starter_deals(settings: Any, player: Any) -> None:
    settings.SEALED_STOCK, settings.DEAL_PATIENCE = 1, 300
    assert publishing.todays_deals(NOW) == []
    assert practice_deals.deal_for(player.pk, CATALOGUE["braid"]) is None


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "False"),
        ({"STARTER_DEALS": "1"}, "True"),
        ({"STARTER_DEALS": "1", "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}, "False"),
    ],
)
def test_setting_is_off_by_default_and_on_postgresql(tmp_path: Path, variables: dict[str, str], expected: str) -> None:
    done = run("-c", "from config import settings; print(settings.STARTER_DEALS)", var=tmp_path, **variables)
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.usefixtures("db", "allowed")
def test_ledger_and_deal_page_label_starter_deals(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seal_deal("braid")
    deals = publishing.todays_deals()
    entries = client.get("/api/v1/ledger").json()["entries"]
    assert {entry["variant"]: entry["starter"] for entry in entries} == {name: name != "braid" for name in CATALOGUE}
    assert client.get("/api/v1/ledger").json()["entries"] == entries
    page = client.get("/ledger/").content.decode()
    assert page.count('<span class="mark">Starter deal<') == len(CATALOGUE) - 1
    for deal in deals:
        page = client.get(f"/deals/{deal.day}/{deal.variant}/").content.decode()
        assert ("Starter deal" in page) == (deal.variant != "braid")


@pytest.mark.usefixtures("db", "allowed")
def test_two_newcomers_practise_different_deals_of_a_grade_at_once() -> None:
    for variant in CATALOGUE.values():
        deals = [practice_deals.deal_for(None, variant, 1) for _newcomer in range(2)]
        facts = [deal and (deal.proven, deal.starter, deal.day, deal.grade) for deal in deals]
        assert facts == [(True, False, None, 1)] * 2
        assert deals[0] != deals[1]


def test_the_command_regenerates_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {deal.seed: deal for deal in starter_deals.shipped() if deal.variant == "stonewall" and not deal.number}
    seeds = iter(lines)
    monkeypatch.setattr("secrets.token_bytes", lambda _size: next(seeds))
    monkeypatch.setattr(make_starter_deals, "certify", lambda _name, seed, **_: lines[seed].certificate)
    file = tmp_path / "made.json"
    call_command("make_starter_deals", "--variant", "stonewall", "--practice", "0", "--file", file, verbosity=0)
    written = [starter_deals.StarterDeal.from_json(row) for row in json.loads(file.read_text())]
    assert written == list(lines.values())
