"""Stonewall's two searches, one after the other, and what they take for granted."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.rules import Table
from games.solver import Budget, Solution, Unwinnable, check_solution, solve
from games.solver.convert import make_search, stonewall_start
from games.solver.jit import longs
from games.solver.search import InTurns
from games.solver.states import LOST, RUNNING, SPENT, WON
from games.solver.stonewall import StonewallSearch
from games.solver.stonewall_best import StonewallTries
from games.solver.stonewall_position import KEYS, SIZE
from games.solver.stonewall_safe import is_safe
from games.solver.stonewall_stack import lay_out
from games.solver.tools import Ints, random_keys
from tests.solver.deals import copy_of, deal, stonewall_endgame
from tests.solver.exhaustive import can_be_won

DEALS = 60
#: Positions by which nearly every deal is decided. Depth first alone, some are not with a hundred times as many.
ENOUGH = 40_000


def tries(table: Table, *, seed: int = 0, limit: int = 1 << 14) -> StonewallTries:
    return StonewallTries(stonewall_start(table), seed=seed, limit=limit)


def test_nearly_every_deal_is_decided_soon() -> None:
    decided = sum(
        isinstance(solve(deal("stonewall", index), Budget(nodes=ENOUGH)), Solution | Unwinnable)
        for index in range(DEALS)
    )
    assert decided >= DEALS - 2


def test_both_searches_come_to_one_verdict() -> None:
    verdicts = set()
    for index in range(DEALS):
        table = deal("stonewall", index)
        best, depth_first = tries(table), StonewallSearch(stonewall_start(table))
        if {best.run(ENOUGH), depth_first.run(ENOUGH)} <= {WON, LOST}:
            assert best.status == depth_first.status
            verdicts.add(best.status)
    assert verdicts == {WON, LOST}


def test_every_line_of_the_tries_wins() -> None:
    for index in range(DEALS):
        table = deal("stonewall", index)
        search = tries(table, seed=index)
        if search.run(ENOUGH) == WON:
            check_solution(table, search.tokens())


def spent_by(limit: int) -> tuple[Table, StonewallTries]:
    """A deal that so few positions do not decide, and the tries that have not."""
    for index in range(200):
        search = tries(deal("stonewall", index), limit=limit)
        while search.status == RUNNING:
            search.run(10_000)
        if search.status == SPENT:
            return deal("stonewall", index), search
    pytest.fail("every deal is decided at once")


def test_tries_end_when_one_had_all_the_room_there_is() -> None:
    _, search = spent_by(20)
    assert search.tries == 1
    nodes = search.nodes
    assert search.run(1000) == SPENT
    assert search.nodes == nodes


def test_searches_take_turns_until_one_has_a_verdict() -> None:
    table, spent = spent_by(20)
    alone = StonewallSearch(stonewall_start(table))
    alone.run(10**9)
    both = InTurns([tries(table, limit=20), StonewallSearch(stonewall_start(table))], (1, 2), first=10)
    while both.status == RUNNING:
        both.run(777)
    assert both.status == alone.status
    assert [search.nodes for search in both.searches] == [spent.nodes, alone.nodes]
    assert both.nodes == sum(search.nodes for search in both.searches)


def test_turns_keep_to_the_shares_and_grow() -> None:
    table, _ = spent_by(500)
    searches = [StonewallSearch(stonewall_start(table)) for _ in range(2)]
    both = InTurns(searches, (1, 3), first=10)
    seen = []
    for _ in range(6):
        both.run(1)
        while both.nodes % 10:
            both.run(1)
        seen.append(tuple(search.nodes for search in searches))
    assert seen == [(10, 0), (10, 10), (10, 20), (10, 30), (20, 30), (20, 40)]


def test_searches_that_have_all_given_up_leave_it_undecided() -> None:
    table, _ = spent_by(20)
    both = InTurns([tries(table, limit=20), tries(table, limit=21)], (1, 1), first=10)
    while both.status == RUNNING:
        both.run(10_000)
    assert both.status == SPENT


def test_loading_looks_at_a_position_with_each_search() -> None:
    table, _ = spent_by(20)
    both = InTurns([tries(table), StonewallSearch(stonewall_start(table))], (1, 1), first=10)
    both.warm_up()
    assert all(search.nodes for search in both.searches)


def test_memory_is_shared_out_to_both() -> None:
    search = make_search(deal("stonewall", 0), seed=0, memory=16)
    assert isinstance(search, InTurns)
    best, depth_first = search.searches
    assert isinstance(best, StonewallTries)
    assert isinstance(depth_first, StonewallSearch)
    assert best.limit * 400 + depth_first.seen.limit * 60 <= 16 << 20


def packed(table: Table) -> Ints:
    pos, keys = longs(SIZE), random_keys(KEYS, 2)
    lay_out(pos, stonewall_start(table), keys)
    return pos


def test_a_safe_card_loses_nothing_by_going_up() -> None:
    """By brute force, in small positions; most of these cards would have to wait if the reserve had to lie down too."""
    chance = Random("safe cards of Stonewall")
    kept = Counter[bool]()
    while min(kept[True], kept[False]) < 25:
        table = stonewall_endgame(chance.randrange(10, 20), chance)
        pos, truth = packed(table), can_be_won(copy_of(table), 2_000)
        for token in table.legal_moves():
            card = table.pile(token.partition("-")[0])[-1]
            if truth is None or not token.endswith("-f") or not is_safe(pos, card):
                continue
            after = copy_of(table)
            after.push(token)
            assert can_be_won(after, 4_000) in {truth, None}, (table.position(), token)
            kept[truth] += 1
