"""Budgets, cancellation, determinism, memory, the frontier of a staged search, and bad input."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from array import array
from functools import cache
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from games.rules import CATALOGUE, InvalidTokenError, PositionError, from_position
from games.solver import (
    AlreadyWonError,
    Budget,
    BudgetError,
    Effort,
    GaveUp,
    PositionNotReachableError,
    TokensError,
    check_solution,
    solve,
)
from games.solver.frontier import CUT, Frontier, begin, close, make_frontier, offer, pass_over, rank_of, reset, take
from games.solver.kernel_tools import SeenKeys
from games.solver.search_drivers import Search
from games.solver.searches import make_search
from games.solver.statuses import RUNNING, SPENT
from tests.solver.deals import SEARCHED, deal, first_win

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "fields", [{"nodes": 0}, {"nodes": -1}, {"seconds": 0}, {"seconds": -1.0}, {"seconds": math.nan}, {"memory": 0}]
)
def test_an_empty_budget_is_refused(fields: dict[str, int]) -> None:
    with pytest.raises(BudgetError):
        Budget(**fields)
    assert BudgetError.code == "bad_budget"


def test_a_won_table_is_refused() -> None:
    index, tokens = first_win("labyrinth")
    table = deal("labyrinth", index)
    for token in tokens:
        table.push(token)
    with pytest.raises(AlreadyWonError):
        solve(table)


def test_a_pile_that_no_game_builds_is_refused() -> None:
    position = deal("plot", 0).position()
    first = position.index(" | t0 ") + 6
    second = position.index(" | t1 ") + 6
    one, other = position[first : first + 2], position[second : second + 2]
    assert "A23456789TJQK".index(other[0]) != ("A23456789TJQK".index(one[0]) + 1) % 13
    merged = position.replace(f"t0 {one}", f"t0 {other}.{one}").replace(f" | t1 {other}", "")
    with pytest.raises(PositionNotReachableError):
        solve(from_position(merged))


def test_positions_that_lack_a_card_never_reach_the_solver() -> None:
    position = deal("stonewall", 0).position()
    with pytest.raises(PositionError):
        from_position(position[: position.rindex(" | ")])


def test_lines_that_do_not_win_are_refused() -> None:
    table = deal("tarot", 1)
    with pytest.raises(TokensError, match="token 0"):
        check_solution(table, ["r0-f"])
    with pytest.raises(TokensError, match="off the foundations"):
        check_solution(table, ["d"])
    with pytest.raises(InvalidTokenError):
        table.push("r0-f")


@pytest.mark.parametrize("variant", SEARCHED)
def test_the_node_budget_holds(variant: str) -> None:
    for nodes in (1, 100, 3000):
        result = solve(deal(variant, 5), Budget(nodes=nodes))
        assert result.effort.nodes <= nodes + 700
        if isinstance(result, GaveUp):
            assert result.reason == "nodes"


def test_time_ends_a_search() -> None:
    result = solve(deal("tarot-adept", _hard_deal()), Budget(nodes=10**9, seconds=0.01))
    assert isinstance(result, GaveUp)
    assert result.reason == "seconds"
    assert result.effort.seconds < 5


@cache
def _hard_deal() -> int:
    index = 0
    while not isinstance(solve(deal("tarot-adept", index), Budget(nodes=30_000)), GaveUp):
        index += 1
    return index


def test_an_event_cancels() -> None:
    stop = Event()
    stop.set()
    result = solve(deal("tarot-adept", _hard_deal()), Budget(nodes=10**9), cancel=stop.is_set)
    assert isinstance(result, GaveUp)
    assert result.reason == "cancelled"


def test_progress_is_reported_and_only_grows() -> None:
    reports: list[Effort] = []
    solve(deal("tarot-adept", _hard_deal()), Budget(nodes=20_000), progress=reports.append)
    assert len(reports) > 3
    assert [effort.nodes for effort in reports] == sorted(effort.nodes for effort in reports)


@pytest.mark.parametrize("variant", SEARCHED)
def test_the_same_seed_and_budget_give_the_same_result(variant: str) -> None:
    budget = Budget(nodes=20_000)
    assert solve(deal(variant, 3), budget, seed=7) == solve(deal(variant, 3), budget, seed=7)


@pytest.mark.parametrize("variant", SEARCHED)
def test_pauses_do_not_change_the_result(variant: str) -> None:
    def state(search: Search, step: int) -> tuple[int, int]:
        while search.status == RUNNING and search.nodes < 8000:
            search.run(min(step, 8000 - search.nodes))
        return search.status, search.nodes

    one, other = (make_search(deal(variant, 4), seed=0, memory=64) for _ in range(2))
    assert state(one, 8000) == state(other, 37)


def test_another_seed_searches_differently() -> None:
    budget = Budget(nodes=30_000)
    index = _hard_deal()
    results = {solve(deal("tarot", index + n), budget, seed=seed) for n in range(3) for seed in range(4)}
    assert len(results) > 3


def test_results_are_the_same_without_numba() -> None:
    """Searches this short end before the first of Tarot's beams, so two beams are run by themselves."""
    script = (
        "import sys, json; from games.solver import *; from tests.solver.deals import deal\n"
        "from games.rules import CATALOGUE; from games.solver.searches import make_search\n"
        "from games.solver.tarot.search import ALONE\n"
        "for name in CATALOGUE:\n"
        "    r = solve(deal(name, 0), Budget(nodes=3000))\n"
        "    print(json.dumps([type(r).__name__, r.effort.nodes, r.effort.tries, *getattr(r, 'tokens', ())]))\n"
        "for place in range(2):\n"
        "    search = make_search(deal('tarot-adept', 2), seed=0, memory=16)\n"
        "    search.tries = ALONE + place\n"
        "    search.begin()\n"
        "    search.run(1500)\n"
        "    print(json.dumps([search.status, *map(int, search.front.state), *map(int, search.front.moves[:1000])]))\n"
        "print('numba' in sys.modules)\n"
    )

    def output(**environment: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, **environment}, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    plain, default = output(TALON_NO_NUMBA="1"), output(TALON_NO_NUMBA="")
    assert plain[-1] == "False"
    assert plain[:-1] == default[:-1]
    results, beams = plain[: len(CATALOGUE)], plain[len(CATALOGUE) : -1]
    assert any(json.loads(line)[0] == "Solution" for line in results)
    assert [json.loads(line)[0] for line in beams] == [RUNNING] * 2


def test_importing_the_solver_loads_neither_numba_nor_numpy() -> None:
    code = "import sys, games.solver; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_seen_keys_stop_growing_at_their_limit() -> None:
    keys = SeenKeys(limit=1 << 13)
    assert keys.grow()
    assert not keys.grow()
    assert len(keys.table) == 1 << 13
    assert cast("array[int]", keys.table).itemsize == 8


def test_a_search_without_memory_gives_up() -> None:
    for index in range(200):
        search = make_search(deal("labyrinth", index), seed=0, memory=0)
        search.run(2_000_000)
        if search.status == SPENT:
            return
    pytest.fail("no deal needs more than the least memory")


def test_plain_memory_stays_within_the_budget() -> None:
    code = (
        "from pathlib import Path; from games.solver import *; from tests.solver.deals import deal\n"
        "def peak(): return int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]) << 10\n"
        f"table = deal('tarot-adept', {_hard_deal()})\n"
        "solve(table, Budget(nodes=1))\n"
        "before = peak()\n"
        "solve(table, Budget(nodes=25_000, memory=16))\n"
        "print(peak() - before)\n"
    )
    environment = {**os.environ, "TALON_NO_NUMBA": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    assert 1 << 20 < int(done.stdout) < 16 << 20


def with_children(scores: list[int]) -> tuple[Frontier, list[int]]:
    front = make_frontier(1, 8, 8)
    reset(front, 1)
    root = take(front, 1)
    slots = []
    for move, score in enumerate(scores):
        slots.append(begin(front))
        offer(front, root, slots[-1], move, rank_of(front, 1, score, 0))
    close(front, root)
    return front, slots


def test_the_best_of_a_stage_come_first() -> None:
    front, slots = with_children([3, 9, 5])
    assert take(front, 2) == slots[1]
    close(front, slots[1])
    assert take(front, 2) == slots[2]
    close(front, slots[2])
    assert front.state[CUT] == 0
    assert take(front, 2) < 0
    assert front.state[CUT] == 1


def test_a_skipped_position_frees_its_place() -> None:
    front, slots = with_children([3, 9, 5])
    for slot in (slots[1], slots[2], slots[0]):
        assert take(front, 1) == slot
        pass_over(front, slot)
    assert take(front, 1) < 0
    assert front.state[CUT] == 0
