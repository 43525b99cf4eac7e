"""The Plot's search: stages, keys, wins within few positions, and proofs of a loss."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import cast

from games.rules import Table
from games.solver import Budget, Result, Solution, solve
from games.solver.frontier import COUNT
from games.solver.plot.loss_proof import is_hopeless
from games.solver.plot.position import HEIGHT, RESERVE, ROW, key_of
from games.solver.plot.search import A_WIDTH, EVERY, WIDTH, PlotSearch, growing, stage_of
from games.solver.searches import make_search
from games.solver.statuses import LOST, WON
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


def test_keys_are_updated_with_each_move() -> None:
    chance = Random("keys of the plot")
    for index in range(4):
        search = search_from(walk(deal("plot", index), 60 * index, chance))
        search.run(2_000)
        front = search.front
        open_slots = [int(front.slots[place]) for place in range(int(front.state[0]))]
        assert front.state[COUNT] > 1
        for slot in open_slots:
            assert front.facts[slot] == key_of(front.rows, slot * ROW, search.deal.keys)


@cache
def solved(index: int) -> Result:
    return solve(deal("plot", index), Budget(nodes=20_000))


def test_most_deals_are_won_within_few_positions() -> None:
    assert sum(isinstance(solved(index), Solution) for index in range(20)) >= 17


def hopeless(table: Table) -> bool:
    search = search_from(table)
    return is_hopeless(search.front.rows, 0, search.deal)


def can_empty_reserve(table: Table) -> bool:
    """Return whether the reserve can be emptied if all cards outside it are at hand.

    Found by trying everything.
    """
    search = search_from(table)
    reserve = tuple(search.start.reserve[: int(search.front.rows[RESERVE])])
    start = (tuple(int(height) for height in list(search.front.rows)[HEIGHT : HEIGHT + 8]), reserve)
    seen, stack = {start}, [start]
    while stack:
        heights, left = stack.pop()
        if not left:
            return True
        for slot, height in enumerate(heights):
            if height == 13 or (slot and heights[0] < 13):
                continue
            # Foundations of equal height other than the first are interchangeable.
            higher = (heights[0], *sorted((*heights[1:slot], height + 1, *heights[slot + 1 :])))
            if not slot:
                higher = (height + 1, *heights[1:])
            plays = [left[:-1]] * (left[-1] == height)
            plays += [left] * (sum(other <= height for other in heights) > left.count(height))
            for play in plays:
                if (higher, play) not in seen:
                    seen.add((higher, play))
                    stack.append((higher, play))
    return False


def test_the_hopeless_reserve_matches_the_simpler_game(chance: Random) -> None:
    verdicts: Counter[bool] = Counter()
    while min(verdicts[True], verdicts[False]) < 8:
        table = walk(deal("plot", chance.randrange(1000)), chance.randrange(180, 320), chance)
        lost = hopeless(table)
        assert lost != can_empty_reserve(table), table.position()
        verdicts[lost] += 1


def test_no_position_of_a_won_game_is_hopeless() -> None:
    for index in range(20):
        table, result = deal("plot", index), solved(index)
        for token in result.tokens if isinstance(result, Solution) else ():
            assert not hopeless(table)
            table.push(token)


def test_a_hopeless_position_is_lost_without_a_search() -> None:
    chance = Random("hopeless")
    tables = [walk(deal("plot", index), 250, chance) for index in range(20)]
    lost = [table for table in tables if hopeless(table)]
    assert lost
    for table in lost:
        search = search_from(table)
        assert (search.status, search.nodes) == (LOST, 0)


def test_tries_widen_and_restart_before_they_run_out_of_memory() -> None:
    assert [growing(3, number, 12) for number in range(7)] == [3, 4, 6, 9, 3, 4, 6]
    search = search_from(deal("plot", 0))
    plans = [search.plan(number) for number in range(60) if number % EVERY < EVERY - 1]
    assert plans[0].width == WIDTH
    assert all(plan.nodes == plan.width * A_WIDTH <= search.limit for plan in plans)
