"""Tarot's proof of a loss: it never fires in a winnable position, and often in a lost one."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import cast

import pytest

from games.rules import Table, from_position
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.convert import make_search
from games.solver.tarot.search import TarotSearch, rounds_of
from tests.solver.deals import NODES, OTHER_OPTIONS, copy_of, deal, tarot_endgame
from tests.solver.exhaustive import can_be_won

VARIANTS = ["tarot", "tarot-novice", "tarot-adept"]


def rounds(table: Table) -> int:
    search = cast("TarotSearch", make_search(table, seed=0, memory=16))
    return rounds_of(search.front.rows, 0, search.deal)


def ending(piles: str, stock: str, up: dict[str, int], *, draw: int = 3) -> Table:
    """Return a position with ``up[suit]`` cards of each suit up; the Fool is the first of 22 trumps."""
    ranks = "A23456789TPNQK"
    made = {suit: [f"{rank}{suit}" for rank in ranks] for suit in "WCSP"} | {"M": [f"M{n}" for n in range(22)]}
    fields = [*piles.split(" | "), *([f"s {stock}"] if stock else [])]
    fields += [f"f{n} {'.'.join(made[suit][: up[suit]])}" for n, suit in enumerate("WCSPM") if up[suit]]
    drawn = "" if draw == 2 else f"draw={draw} "  # two is the default, which a position omits
    return from_position(" | ".join([f"tarot {drawn}fool=trump", *fields]))


@pytest.mark.parametrize(
    ("stock", "draw", "is_lost"),
    [
        ("8C.9C", 3, True),  # the nine covers the eight, and no card takes it
        ("8C.9C", 2, True),
        ("8C.9C", 1, False),
        ("9C.8C", 3, False),
        ("8C.TC.9C", 3, True),
        ("TC.9C.8C", 3, False),
        ("TC.8C.9C", 2, False),
        ("8C.TC.PC.9C", 3, True),
        ("PC.TC.8C.9C", 3, False),
        ("9C.PC.TC.8C", 3, True),  # the eight comes last; then the nine is first in a group of three
    ],
)
def test_an_unreachable_stock_card_is_a_loss(stock: str, draw: int, is_lost: bool) -> None:
    others = [card for card in ("KC", "QC", "NC", "PC", "TC") if card not in stock]
    piles = " | ".join(f"t{pile} {card}" for pile, card in enumerate(others))
    table = ending(piles, stock, {"W": 14, "C": 7, "S": 14, "P": 14, "M": 22}, draw=draw)
    assert (rounds(table) < 0) == is_lost == (not can_be_won(copy_of(table), 100_000))


def test_the_world_at_a_piles_bottom_makes_no_space() -> None:
    piles = "t0 M21 | t1 4W | t2 *AW.KW | t3 *3W.2W | t4 *6W.5W | t5 *8W.7W | t6 *TW.9W | t7 *NW.PW | t8 *M20.QW"
    up = {"W": 0, "C": 14, "S": 14, "P": 14, "M": 20}
    assert rounds(ending(piles, "", up)) < 0
    assert rounds(ending(piles.removeprefix("t0 M21 | "), "M21", up)) >= 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_position_of_a_won_game_is_called_lost(variant: str, request: pytest.FixtureRequest) -> None:
    for index in range(100 if request.config.getoption("full") else 5):
        result = solve(table := deal(variant, index), Budget(nodes=NODES[variant]))
        for token in result.tokens if isinstance(result, Solution) else ():
            assert rounds(table) >= 0
            table.push(token)


def test_no_won_position_of_other_options_is_called_lost() -> None:
    for name, options in OTHER_OPTIONS:
        if name == "tarot":
            result = solve(table := deal(name, 1, options), Budget(nodes=40_000))
            for token in result.tokens if isinstance(result, Solution) else ():
                assert rounds(table) >= 0
                table.push(token)


@pytest.mark.parametrize("variant", VARIANTS)
def test_brute_force_confirms_the_losses(variant: str, request: pytest.FixtureRequest) -> None:
    chance = Random(f"lost {variant}")
    called = 0
    for _ in range(2_000 if request.config.getoption("full") else 200):
        table = tarot_endgame(variant, chance.randrange(4, 14), chance)
        if not table.is_won and rounds(table) < 0:
            called += 1
            assert can_be_won(copy_of(table), 3_000) is not True
    assert called >= 10


def test_a_deal_recognized_as_lost_needs_no_search() -> None:
    lost = next(table for index in count() if rounds(table := deal("tarot-adept", index)) < 0)
    result = solve(lost, Budget(nodes=1_000))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes < 100
