"""A newcomer's first game: every shipped deal can be won, often without planning, and its first moves teach."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.deals import first_game, numbered_deals, publishing
from games.deals.certification import winning_record
from games.models import Attempt, Deal
from games.rules import CATALOGUE, Record, open_table
from games.solver.simulated_players import greedy_game

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
