"""Shortened lines still win, are never longer, and are deterministic."""

from __future__ import annotations

from random import Random

import pytest

from games.rules import CATALOGUE
from games.solver import Solution, TokensError, check_solution, shorten, solve
from games.solver.convert import labyrinth_start, stonewall_start
from games.solver.labyrinth.search import LabyrinthSearch
from games.solver.simulated_players import greedy_game, random_game
from games.solver.statuses import LOST, WON
from games.solver.stonewall.search import StonewallSearch
from tests.solver.deals import deal, first_win


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_shortened_line_wins(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    line = shorten(table, tokens)
    check_solution(table, line)
    assert len(line) <= len(tokens)
    assert line == shorten(table, tokens)
    assert table.token_count == 0


def test_a_detour_is_cut_out() -> None:
    index, tokens = first_win("tarot")
    table = deal("tarot", index)
    rounds = ["d"] * 12 + ["n"]
    assert len(shorten(table, [*rounds, *tokens])) <= len(tokens)


def test_a_line_that_does_not_win_is_refused() -> None:
    with pytest.raises(TokensError):
        shorten(deal("tarot", 0), ["d", "d"])


def test_players_end_their_games_and_report_wins() -> None:
    won = 0
    for variant in CATALOGUE:
        for index in range(10):
            for play in (random_game, greedy_game):
                table = deal(variant, index)
                assert play(table, Random(index)) == table.is_won
                won += table.is_won
    assert won


def test_the_greedy_player_wins_more_than_the_random_one() -> None:
    chance = Random(0)
    games = {
        play: sum(play(deal("pigtail", index), chance) for index in range(40)) for play in (random_game, greedy_game)
    }
    assert games[greedy_game] > games[random_game]


def test_a_wandering_line_is_replaced_by_a_shorter_one() -> None:
    """Depth-first lines of Stonewall often take hundreds of moves where a hundred would do."""
    saved = 0
    for index in range(40):
        table = deal("stonewall", index)
        search = StonewallSearch(stonewall_start(table))
        if search.run(100_000) == WON and len(line := search.tokens()) > 300:
            saved += len(line) - len(shorten(table, line))
    assert saved > 200


def test_no_line_of_labyrinth_deals_fewer_rows() -> None:
    shorter = 0
    for index in range(40):
        table = deal("labyrinth", index)
        result = solve(table)
        if not isinstance(result, Solution):
            continue
        line = shorten(table, result.tokens)
        shorter += len(line) < len(result.tokens)
        rows = 1 + line.count("d")
        if rows > 1:
            assert LabyrinthSearch(labyrinth_start(table), most=rows - 1).run(10**6) == LOST
    assert shorter
