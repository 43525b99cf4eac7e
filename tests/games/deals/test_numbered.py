"""Numbered deals: reproducible by number, while ranked deals cannot be reached by a number or a seed."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Any

import pytest
from django.utils import timezone

from games.attempts.lifecycle import DealClosedError
from games.deals import numbered_deals, publishing
from games.deals.certification import Certificate
from games.models import Deal, SealedDeal
from games.rules import CATALOGUE, Variant
from tests.deals import make_deal
from tests.games import certified

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


@pytest.mark.parametrize("number", [0, -1, numbered_deals.MOST + 1])
def test_numbers_have_an_upper_limit(number: int) -> None:
    with pytest.raises(ValueError, match="numbered"):
        numbered_deals.seed_of(STONEWALL, number)


def test_practice_without_a_choice_is_a_numbered_deal(db: None) -> None:
    assert numbered_deals.number_of(publishing.practice_deal("tarot", {"draw": 1})) is not None


def test_the_same_seed_is_the_same_deal_with_its_proof(db: None) -> None:
    record = certified.won("stonewall")[0]
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
        seed = bytes(certified.seal("plot").seed)
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
