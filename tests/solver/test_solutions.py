"""Solutions win when the rules replay them, for every game and option."""

from __future__ import annotations

import os
from random import Random

import pytest

from games.rules import CATALOGUE, Table
from games.solver import Budget, Solution, Unwinnable, check_solution, solve
from tests.solver.deals import OTHER_OPTIONS, SEARCHED, copy_of, deal, first_win, solved, walk

#: `SOLVER_DEALS=1000 pytest tests/solver` solves 1,000 deals of each variant.
DEALS = int(os.environ.get("SOLVER_DEALS", "12"))
#: Least shares of deals won within the test's budget: far below the measured ones, far above a broken search.
WON_AT_LEAST = {
    "braid": 0.5, "braid-either": 0.7, "pigtail": 0.5, "labyrinth": 0.15, "tarot": 0.7, "tarot-novice": 0.8,
    "tarot-adept": 0.3, "plot": 0.6, "stonewall": 0.05,
}  # fmt: skip


def wins(table: Table, tokens: tuple[str, ...]) -> bool:
    copy = copy_of(table)
    for token in tokens:
        copy.push(token)
    return copy.is_won


@pytest.mark.parametrize("variant", CATALOGUE)
def test_solutions_of_random_deals_replay(variant: str) -> None:
    won = 0
    for index in range(DEALS):
        result = solved(variant, index)
        if isinstance(result, Solution):
            won += 1
            assert wins(deal(variant, index), result.tokens)
    assert won >= WON_AT_LEAST[variant] * DEALS


@pytest.mark.parametrize(("game", "options"), OTHER_OPTIONS)
def test_all_options_are_solved(game: str, options: dict[str, bool | int | str]) -> None:
    won = 0
    for index in range(8):
        table = deal(game, index, options)
        result = solve(table, Budget(nodes=60_000))
        if isinstance(result, Solution):
            won += 1
            assert wins(table, result.tokens)
        if won == 2:
            break
    assert won


@pytest.mark.parametrize("variant", SEARCHED)
def test_positions_in_the_middle_of_a_game(variant: str) -> None:
    chance = Random(variant)
    decided = 0
    for index in range(8):
        table = walk(deal(variant, index), chance.randrange(1, 120), chance)
        before, count = table.position(), table.token_count
        result = solve(table, Budget(nodes=30_000))
        assert (table.position(), table.token_count) == (before, count)
        if isinstance(result, Solution):
            check_solution(table, result.tokens)
        decided += isinstance(result, Solution | Unwinnable)
    assert decided


@pytest.mark.parametrize("variant", ["braid", "labyrinth", "tarot", "plot", "stonewall"])
def test_every_position_of_a_won_line_can_be_won(variant: str) -> None:
    """Along its own line, the solver may give up but never deny that there is a win."""
    index, tokens = first_win(variant)
    table = deal(variant, index)
    for place, token in enumerate(tokens):
        table.push(token)
        if place % 24 == 0 and not table.is_won:
            assert not isinstance(solve(table, Budget(nodes=20_000)), Unwinnable)


@pytest.mark.parametrize("variant", SEARCHED)
def test_the_last_moves_are_found_at_once(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    for token in tokens[:-1]:
        table.push(token)
    late = solve(table, Budget(nodes=1000))
    assert isinstance(late, Solution)
    assert len(late.tokens) == 1
