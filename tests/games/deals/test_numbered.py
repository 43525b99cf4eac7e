"""Numbered deals: reproducible and never ranked; some are a newcomer's first game."""

from __future__ import annotations

import json
import secrets
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from games.attempts.lifecycle import DealClosedError, close_attempt, deal_table, start_attempt
from games.deals import first_game, numbered_deals, publishing
from games.deals.certification import Certificate, winning_record
from games.models import Attempt, Deal, SealedDeal
from games.rules import CATALOGUE, Record, Variant, open_table
from games.solver.simulated_players import greedy_game
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


VARIANT = CATALOGUE[first_game.VARIANT]
SHIPPED = [(one["number"], one["line"].split()) for one in json.loads(first_game._FILE.read_text())]


@pytest.mark.parametrize(("number", "line"), SHIPPED)
def test_each_deal_can_be_won_and_usually_is(number: int, line: list[str]) -> None:
    seed = numbered_deals.seed_of(VARIANT, number)
    assert winning_record(VARIANT.name, seed, tuple(line)).tokens == tuple(line)
    chance = Random(number)
    assert sum(greedy_game(open_table(VARIANT.name, seed), chance) for _ in range(20)) >= 18


def test_a_newcomer_gets_a_proven_gentle_deal_at_once(player: Any) -> None:
    deal = first_game.deal_for(player.pk)
    assert (deal.variant, deal.proven, deal.grade, deal.day, deal.for_race) == ("stonewall", True, 1, None, False)
    assert first_game.is_first_game(deal)
    assert not first_game.is_first_game(publishing.practice_deal("stonewall"))


def test_a_first_game_started_by_number_has_hints_too(player: Any) -> None:
    number, line = SHIPPED[0]
    deal = publishing.seeded_deal(VARIANT, numbered_deals.seed_of(VARIANT, number))
    assert not deal.proven
    assert [step["token"] for step in first_game.guide(deal)] == line[: first_game.GUIDED]


def test_a_running_first_game_resumes_and_the_next_differs(player: Any) -> None:
    seen = set()
    for _ in SHIPPED:
        attempt = start_attempt(player, first_game.deal_for(player.pk))
        assert first_game.deal_for(player.pk) == attempt.deal
        seen.add(attempt.deal_id)
        close_attempt(attempt.pk, "resigned")
    assert len(seen) == len(SHIPPED)
    assert first_game.deal_for(player.pk).pk in seen
    assert Deal.objects.count() == len(SHIPPED), "they are shared"
    assert Attempt.objects.count() == len(SHIPPED)


@pytest.mark.parametrize("number", [number for number, _ in SHIPPED])
def test_the_hints_follow_the_winning_line_truthfully(number: int, db: None) -> None:
    seed = numbered_deals.seed_of(VARIANT, number)
    deal = publishing.seeded_deal(VARIANT, seed, first_game._certificate(seed))
    steps, table = first_game.guide(deal), deal_table(deal)
    assert deal.solution is not None
    assert [step["token"] for step in steps] == list(Record.from_bytes(bytes(deal.solution)).tokens[: len(steps)])
    assert len({step["why"] for step in steps}) >= 3
    for step in steps:
        hidden, up = table.hidden.bit_count(), table.cards_up
        reserve = sum(map(len, table.piles[table.TABLEAU :]))
        table.push(step["token"])
        assert (step["why"] == "up") == (table.cards_up > up)
        if step["why"] == "turns":
            assert table.hidden.bit_count() < hidden
        if step["why"] == "reserve":
            assert sum(map(len, table.piles[table.TABLEAU :])) < reserve
