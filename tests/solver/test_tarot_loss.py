"""No position of Tarot that can be won is called lost at sight, and many that are lost are."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import cast

import pytest

from games.rules import Table
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.convert import make_search
from games.solver.tarot import TarotSearch, rounds_of
from tests.solver.deals import NODES, OTHER_OPTIONS, copy_of, deal, tarot_endgame
from tests.solver.exhaustive import can_be_won

VARIANTS = ["tarot", "tarot-novice", "tarot-adept"]


def rounds(table: Table) -> int:
    search = cast("TarotSearch", make_search(table, seed=0, memory=16))
    return rounds_of(search.front.rows, 0, search.deal)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_position_on_the_way_to_a_win_is_called_lost(variant: str, request: pytest.FixtureRequest) -> None:
    for index in range(100 if request.config.getoption("full") else 5):
        result = solve(table := deal(variant, index), Budget(nodes=NODES[variant]))
        for token in result.tokens if isinstance(result, Solution) else ():
            assert rounds(table) >= 0
            table.push(token)


def test_nor_with_other_options() -> None:
    for name, options in OTHER_OPTIONS:
        if name == "tarot":
            result = solve(table := deal(name, 1, options), Budget(nodes=40_000))
            for token in result.tokens if isinstance(result, Solution) else ():
                assert rounds(table) >= 0
                table.push(token)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_called_lost_is_lost_by_brute_force(variant: str, request: pytest.FixtureRequest) -> None:
    chance = Random(f"lost {variant}")
    called = 0
    for _ in range(2_000 if request.config.getoption("full") else 200):
        table = tarot_endgame(variant, chance.randrange(4, 14), chance)
        if not table.is_won and rounds(table) < 0:
            called += 1
            assert can_be_won(copy_of(table), 3_000) is not True
    assert called >= 10


def test_a_deal_lost_at_sight_takes_no_search() -> None:
    lost = next(table for index in count() if rounds(table := deal("tarot-adept", index)) < 0)
    result = solve(lost, Budget(nodes=1_000))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes < 100
