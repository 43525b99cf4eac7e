"""The Plot's search: its stages, its keys, and how far few positions take it."""

from __future__ import annotations

from random import Random
from typing import cast

from games.rules import Table
from games.solver import Budget, Solution, solve
from games.solver.convert import make_search
from games.solver.frontier import COUNT
from games.solver.plot import ROW, PlotSearch, key_of, stage_of
from games.solver.states import WON
from tests.solver.deals import deal, walk


def search_from(table: Table) -> PlotSearch:
    return cast("PlotSearch", make_search(table, seed=0, memory=16))


def test_no_move_leads_to_an_earlier_stage() -> None:
    search = search_from(deal("plot", 0))
    assert search.run(300_000) == WON
    moves, rows = search.winning_moves(), search.front.rows
    search.load()
    stages = [stage_of(rows, 0)]
    for move in moves:
        search.make(move)
        stages.append(stage_of(rows, 0))
    assert stages == sorted(stages)
    assert 0 <= stages[0] < stages[-1]


def test_keys_are_kept_up_to_date_move_by_move() -> None:
    chance = Random("keys of the plot")
    for index in range(4):
        search = search_from(walk(deal("plot", index), 60 * index, chance))
        search.run(2_000)
        front = search.front
        open_slots = [int(front.slots[place]) for place in range(int(front.state[0]))]
        assert front.state[COUNT] > 1
        for slot in open_slots:
            assert front.facts[slot] == key_of(front.rows, slot * ROW, search.deal.keys)


def test_most_deals_are_won_within_few_positions() -> None:
    won = sum(isinstance(solve(deal("plot", index), Budget(nodes=20_000)), Solution) for index in range(40))
    assert won >= 34
