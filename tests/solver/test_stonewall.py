"""Stonewall's searches, one at a time, and their assumptions."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.rules import Table
from games.solver import Solution, Unwinnable, check_solution
from games.solver.jit import longs
from games.solver.kernel_tools import Ints
from games.solver.search_drivers import InTurns, Thrift
from games.solver.searches import make_search
from games.solver.searches.stonewall import stonewall_start
from games.solver.statuses import LOST, RUNNING, SPENT, WON
from games.solver.stonewall.best_first import StonewallTries
from games.solver.stonewall.loss_proof import StonewallLoss, is_hopeless
from games.solver.stonewall.move_stack import LEVEL, make_stack, position_of
from games.solver.stonewall.moves import is_safe
from games.solver.stonewall.outline import make_outline
from games.solver.stonewall.position import RESERVED, heights
from games.solver.stonewall.search import CUT, StonewallSearch
from tests.solver.deals import copy_of, deal, line_of, solved, stonewall_endgame
from tests.solver.exhaustive import can_be_won

DEALS = 30
#: Positions that decide nearly every deal. Depth-first alone, some deals need more than a hundred times as many.
ENOUGH = 40_000


def tries(table: Table, *, seed: int = 0, limit: int = 1 << 14) -> StonewallTries:
    return StonewallTries(stonewall_start(table), seed=seed, limit=limit)


def test_nearly_every_deal_is_decided_soon() -> None:
    results = [solved("stonewall", index) for index in range(DEALS)]
    assert sum(isinstance(one, Solution | Unwinnable) and one.effort.nodes <= ENOUGH for one in results) >= DEALS - 1


def test_both_searches_reach_the_same_verdict() -> None:
    """Every line found by the tries wins."""
    verdicts = set()
    for index in range(DEALS):
        table = deal("stonewall", index)
        best, depth_first = tries(table, seed=index), StonewallSearch(stonewall_start(table))
        if best.run(ENOUGH) == WON:
            check_solution(table, best.tokens())
        if {best.status, depth_first.run(ENOUGH)} <= {WON, LOST}:
            assert best.status == depth_first.status
            verdicts.add(best.status)
    assert verdicts == {WON, LOST}


def test_thrifty_tries_keep_to_their_bound() -> None:
    shorter = 0
    for index in range(DEALS):
        table = deal("stonewall", index)
        search = tries(table)
        if search.run(ENOUGH) == WON:
            most = len(search.tokens()) - 1
            thrifty = StonewallTries(stonewall_start(table), limit=1 << 12, thrift=Thrift(1, most))
            if thrifty.run(ENOUGH) == WON:
                check_solution(table, thrifty.tokens())
                assert len(thrifty.tokens()) <= most
                shorter += 1
    assert shorter


def spent_by(limit: int) -> tuple[Table, StonewallTries]:
    """Return a deal that ``limit`` positions do not decide, and its spent search."""
    for index in range(200):
        search = tries(deal("stonewall", index), limit=limit)
        while search.status == RUNNING:
            search.run(10_000)
        if search.status == SPENT:
            return deal("stonewall", index), search
    pytest.fail("every deal is decided at once")


def test_tries_end_after_one_with_the_full_memory() -> None:
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


def test_searches_that_all_give_up_leave_it_undecided() -> None:
    table, _ = spent_by(20)
    both = InTurns([tries(table, limit=20), tries(table, limit=21)], (1, 1), first=10)
    while both.status == RUNNING:
        both.run(10_000)
    assert both.status == SPENT


def test_loading_runs_each_search_once() -> None:
    table, _ = spent_by(20)
    both = InTurns([tries(table), StonewallSearch(stonewall_start(table))], (1, 1), first=10)
    both.warm_up()
    assert all(search.nodes for search in both.searches)


def test_memory_is_shared_by_both() -> None:
    search = make_search(deal("stonewall", 0), seed=0, memory=16)
    assert isinstance(search, InTurns)
    _, best, depth_first = search.searches
    assert isinstance(best, StonewallTries)
    assert isinstance(depth_first, StonewallSearch)
    # A growing set exists twice for a moment, once at half the size.
    assert best.limit * 400 + depth_first.seen.limit * (8 + 4) <= 16 << 20


def test_a_search_never_exceeds_its_memory_for_choices() -> None:
    cut = 0
    for index in range(DEALS):
        search = StonewallSearch(stonewall_start(deal("stonewall", index)))
        search.stack = make_stack(search.start, 20)
        while search.status == RUNNING:
            search.run(1)
            assert search.stack.state[LEVEL] < 20
            assert int(search.stack.last[search.stack.state[LEVEL]]) <= len(search.stack.moves)
            if search.nodes > 3_000:
                break
        cut += int(search.state[CUT])
    assert cut > DEALS // 10


def loss_of(table: Table) -> StonewallLoss:
    pos = packed(table)
    return StonewallLoss(pos, make_outline(pos))


def test_outline_losses_are_real_losses() -> None:
    """Compares with brute force in small positions; few lost ones may remain without a proof."""
    chance = Random("outlines of Stonewall")
    proved = Counter[bool]()
    won = 0
    while proved.total() < 40 or won < 40:
        table = stonewall_endgame(chance.randrange(10, 26), chance)
        truth = None if table.is_won else can_be_won(copy_of(table), 2_000)
        if truth is not None:
            verdict = loss_of(table).run(100_000)
            assert verdict in ({SPENT} if truth else {LOST, SPENT}), table.position()
            won += truth
            proved[verdict == LOST] += not truth
    assert proved[False] <= proved.total() // 20


def test_no_position_of_a_won_game_is_hopeless() -> None:
    for index in range(DEALS):
        table = deal("stonewall", index)
        outline = make_outline(packed(table))
        for token in line_of("stonewall", index):
            assert not is_hopeless(packed(table), outline), table.position()
            table.push(token)


def test_a_loss_proof_may_stop_anywhere() -> None:
    verdicts = set()
    for index in range(DEALS):
        at_once, in_steps = loss_of(deal("stonewall", index)), loss_of(deal("stonewall", index))
        at_once.run(100_000)
        while in_steps.status == RUNNING:
            before = in_steps.nodes
            in_steps.run(3)
            assert in_steps.nodes <= before + 3
        assert (in_steps.status, in_steps.nodes) == (at_once.status, at_once.nodes)
        verdicts.add(at_once.status)
    assert verdicts == {LOST, SPENT}


def test_a_loss_proof_without_memory_gives_up() -> None:
    """Covers missing room for verdicts and for the stack of outlines."""
    lost = next(
        table for table in (deal("stonewall", index) for index in range(DEALS)) if loss_of(table).run(30) == RUNNING
    )
    for field, size in (("known", 8), ("stack", 9)):
        pos = packed(lost)
        search = StonewallLoss(pos, make_outline(pos)._replace(**{field: longs(size)}))
        assert search.run(100_000) == SPENT


def packed(table: Table) -> Ints:
    return position_of(stonewall_start(table))


def test_moving_up_a_safe_card_loses_nothing(chance: Random) -> None:
    """Compares with brute force in small positions; most of these cards would not be safe if reserve cards needed a
    place.
    """
    checked = Counter[bool]()
    while min(checked[True], checked[False]) < 10:
        table = stonewall_endgame(chance.randrange(10, 20), chance)
        pos, truth = packed(table), can_be_won(copy_of(table), 2_000)
        for token in table.legal_moves():
            card = table.pile(token.partition("-")[0])[-1]
            if truth is None or not token.endswith("-f") or not is_safe(heights(pos), pos[RESERVED], card):
                continue
            after = copy_of(table)
            after.push(token)
            assert can_be_won(after, 4_000) in {truth, None}, (table.position(), token)
            checked[truth] += 1
