"""First games of each variant: known to win, gentle, and explained truthfully for their first moves."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.attempts.lifecycle import close_attempt, start_attempt
from games.deals import first_game, publishing
from games.deals.certification import winning_record
from games.deals.first_game import GUIDED, winning_lines
from games.deals.first_moves import explain_moves
from games.models import Attempt, Deal
from games.rules import CATALOGUE, Table, open_table
from games.solver.simulated_players import greedy_game

SHIPPED = [(name, seed, line) for name in CATALOGUE for seed, line in winning_lines(name).items()]
each_deal = pytest.mark.parametrize(
    ("name", "seed", "line"), SHIPPED, ids=[f"{name}-{int.from_bytes(seed[-8:])}" for name, seed, _ in SHIPPED]
)


def after_guide(name: str, seed: bytes, line: tuple[str, ...]) -> Table:
    table = open_table(name, seed)
    for token in line[:GUIDED]:
        table.push(token)
    return table


@each_deal
def test_each_deal_can_be_won_and_usually_is_after_the_guide(name: str, seed: bytes, line: tuple[str, ...]) -> None:
    assert winning_record(name, seed, line).tokens == line
    chance = Random(seed)
    assert sum(greedy_game(after_guide(name, seed, line), chance) for _ in range(10)) >= 9


def hides_less(table: Table, token: str) -> bool:
    hidden = table.hidden.bit_count()
    table.push(token)
    after = table.hidden.bit_count()
    table.pop()
    return after < hidden


@each_deal
def test_each_of_the_first_moves_is_explained_truthfully(name: str, seed: bytes, line: tuple[str, ...]) -> None:
    table = open_table(name, seed)
    whys = list(explain_moves(open_table(name, seed), line[:GUIDED]))
    assert len(whys) == GUIDED
    assert len(set(whys)) >= 6
    for token, why in zip(line, whys, strict=False):
        hidden, ready = table.hidden.bit_count(), [move for move in table.legal_moves() if move.endswith("-f")]
        source = table.VOCABULARY.read(token).source
        turns_up = [move for move in table.legal_moves() if hides_less(table, move)]
        table.push(token)
        assert ("hidden card turns up" in why) == (table.hidden.bit_count() < hidden)
        assert ("No " in why) == (token == "d")
        if "No move here turns up" in why:
            assert not turns_up, "a card could have been turned up instead"
        assert not ready or token != "d", "a card could have gone up instead"
        if table.GAME != "labyrinth":
            is_emptied = any(words in why for words in ("empties", "leaves a", "cell is empty", "pile is empty"))
            assert is_emptied == (0 <= source < table.TABLEAU and not table.piles[source])


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_newcomer_gets_a_proven_gentle_deal_at_once(name: str, player: Any) -> None:
    deal = first_game.deal_for(player.pk, name)
    assert (deal.variant, deal.proven, deal.grade, deal.day, deal.for_race) == (name, True, 1, None, False)
    assert first_game.is_first_game(deal)
    assert not first_game.is_first_game(publishing.practice_deal(name))
    again = publishing.seeded_deal(CATALOGUE[name], bytes(deal.seed))
    assert len(first_game.guide(again)) == GUIDED, "if started by number, too"


def test_a_running_first_game_resumes_and_the_next_differs(player: Any) -> None:
    seen = set()
    lines = winning_lines(first_game.EASIEST)
    for _ in lines:
        attempt = start_attempt(player, first_game.deal_for(player.pk))
        assert first_game.deal_for(player.pk) == attempt.deal
        seen.add(attempt.deal_id)
        close_attempt(attempt.pk, "resigned")
    assert len(seen) == len(lines)
    assert first_game.deal_for(player.pk).pk in seen
    assert Deal.objects.count() == len(lines), "they are shared"
    assert Attempt.objects.count() == len(lines)


def test_a_variant_is_known_after_one_finished_game(player: Any) -> None:
    attempt = start_attempt(player, publishing.practice_deal("plot"))
    assert first_game.known_variants(player.pk) == []
    close_attempt(attempt.pk, "resigned")
    assert first_game.known_variants(player.pk) == ["plot"]
    assert first_game.known_variants(None) == []
