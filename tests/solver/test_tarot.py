"""Tarot's search: stages, beams, and a proof of a loss that never fires in a winnable position."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import cast

import pytest

from games.rules import Table, from_position
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.frontier import CUT, RANDOM
from games.solver.searches import make_search
from games.solver.tarot.position import ROW
from games.solver.tarot.search import ALIKE, ALONE, TURN, TarotSearch, is_crowded, rounds_of, stage_of
from tests.solver.deals import OTHER_OPTIONS, copy_of, deal, first_win, line_of, tarot_endgame
from tests.solver.exhaustive import can_be_won

VARIANTS = ["tarot", "tarot-novice", "tarot-adept"]


def searching(table: Table, memory: int = 16) -> TarotSearch:
    return cast("TarotSearch", make_search(table, seed=0, memory=memory))


def stage(table: Table) -> int:
    return stage_of(searching(table).front.rows, 0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_move_leads_to_an_earlier_stage(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    stages = []
    for token in tokens:
        stages.append(stage(table))
        table.push(token)
    assert stages == sorted(stages)
    assert 0 <= stages[0] < stages[-1]


def test_a_beam_ignores_the_places_of_open_cards() -> None:
    search = searching(deal("tarot-adept", 0))
    front, keys = search.front, search.deal.keys
    assert [is_crowded(front, 0, keys) for _ in range(ALIKE + 2)] == [False] * ALIKE + [True] * 2
    assert front.state[CUT], "skipped positions are no proof"
    # Moving a pile's top to another pile keeps the kind; moving a stock card there does not.
    front.rows[ROW : 2 * ROW] = front.rows[:ROW]
    open_card, stock_card = (next(card for card in range(78) if front.rows[card] in at) for at in (range(79), (79,)))
    front.rows[ROW + open_card] = (front.rows[open_card] + 1) % 78
    assert is_crowded(front, 1, keys)
    front.rows[ROW + stock_card] = 0
    assert not is_crowded(front, 1, keys)


def test_beams_grow_in_pairs_within_the_memory() -> None:
    search = searching(deal("tarot", 0), memory=512)
    turns = [[search.plan(ALONE + TURN * turn + place) for place in range(TURN)] for turn in range(12)]
    for first, second, best_first in turns:
        assert first == second
        assert best_first.width == 0
    widths = [pair[0].width for pair in turns]
    assert widths[1] == 2 * widths[0]
    assert widths[-1] == widths[-2] > widths[0]
    assert all(plan.nodes <= 2 * search.limit and plan.slots <= search.limit // 4 for pair in turns for plan in pair)


def test_the_beams_of_a_pair_search_differently() -> None:
    """Both beams use the same noise."""
    moves = set()
    for place in range(2):
        search = searching(deal("tarot-adept", 1), memory=64)
        search.tries = ALONE + place
        search.begin()
        search.front.state[RANDOM] = 1
        search.run(20_000)
        moves.add(tuple(search.front.moves[:500]))
    assert len(moves) == 2


def rounds(table: Table) -> int:
    search = searching(table)
    return rounds_of(search.front.rows, 0, search.deal)


def ending(piles: str, stock: str, up: dict[str, int], *, draw: int = 3) -> Table:
    """Return a position with ``up[suit]`` cards of each suit up; the Fool is the first of 22 trumps."""
    ranks = "A23456789TPNQK"
    names = {suit: [f"{rank}{suit}" for rank in ranks] for suit in "WCSP"} | {"M": [f"M{n}" for n in range(22)]}
    fields = [*piles.split(" | "), *([f"s {stock}"] if stock else [])]
    fields += [f"f{n} {'.'.join(names[suit][: up[suit]])}" for n, suit in enumerate("WCSPM") if up[suit]]
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
        table = deal(variant, index)
        for token in line_of(variant, index):
            assert rounds(table) >= 0
            table.push(token)


def test_no_won_position_of_other_options_is_called_lost() -> None:
    for name, options in OTHER_OPTIONS:
        if name == "tarot":
            result = solve(table := deal(name, 1, options), Budget(nodes=10_000))
            for token in result.tokens if isinstance(result, Solution) else ():
                assert rounds(table) >= 0
                table.push(token)


@pytest.mark.parametrize("variant", VARIANTS)
def test_brute_force_confirms_the_losses(variant: str, chance: Random, request: pytest.FixtureRequest) -> None:
    called = 0
    while called < (200 if request.config.getoption("full") else 10):
        table = tarot_endgame(variant, chance.randrange(4, 14), chance)
        if not table.is_won and rounds(table) < 0:
            called += 1
            assert can_be_won(copy_of(table), 2_000) is not True, table.position()


def test_a_deal_recognized_as_lost_needs_no_search() -> None:
    lost = next(table for index in count() if rounds(table := deal("tarot-adept", index)) < 0)
    result = solve(lost, Budget(nodes=1_000))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes < 100
