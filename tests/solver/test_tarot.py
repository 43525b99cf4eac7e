"""Tarot's search: stages and beams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from games.rules import Table
from games.solver import Budget, Solution, solve
from games.solver.convert import make_search
from games.solver.frontier import CUT, RANDOM
from games.solver.statuses import RUNNING
from games.solver.tarot.position import ROW
from games.solver.tarot.search import ALIKE, ALONE, TURN, TarotSearch, is_crowded, stage_of
from tests.solver.deals import NODES, deal


def searching(table: Table, memory: int = 16) -> TarotSearch:
    return cast("TarotSearch", make_search(table, seed=0, memory=memory))


def stage(table: Table) -> int:
    return stage_of(searching(table).front.rows, 0)


@pytest.mark.parametrize("variant", ["tarot", "tarot-novice", "tarot-adept"])
def test_no_move_leads_to_an_earlier_stage(variant: str) -> None:
    index = 0
    while not isinstance(result := solve(deal(variant, index), Budget(nodes=NODES[variant])), Solution):
        index += 1
    table = deal(variant, index)
    stages = []
    for token in result.tokens:
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


def test_beams_are_the_same_without_numba() -> None:
    """Starts at the beams, because short searches end before the first one."""
    script = (
        "import json; from games.solver.convert import make_search; from games.solver.tarot.search import ALONE\n"
        "from tests.solver.deals import deal\n"
        "for place in range(2):\n"
        "    search = make_search(deal('tarot-adept', 2), seed=0, memory=16)\n"
        "    search.tries = ALONE + place\n"
        "    search.begin()\n"
        "    search.run(4000)\n"
        "    print(json.dumps([search.status, *map(int, search.front.state), *map(int, search.front.moves[:1000])]))\n"
    )

    def output(no_numba: str) -> list[list[int]]:
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=Path(__file__).resolve().parents[2], check=True, capture_output=True,
            env={**os.environ, "TALON_NO_NUMBA": no_numba}, text=True,
        )  # fmt: skip
        return [json.loads(line) for line in done.stdout.splitlines()]

    plain = output("1")
    assert plain == output("")
    assert [row[0] for row in plain] == [RUNNING] * 2
