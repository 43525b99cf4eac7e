"""The stages of Tarot's search."""

from __future__ import annotations

from typing import cast

import pytest

from games.rules import Table
from games.solver import Budget, Solution, solve
from games.solver.convert import make_search
from games.solver.tarot import TarotSearch, stage_of
from tests.solver.deals import NODES, deal


def stage(table: Table) -> int:
    search = cast("TarotSearch", make_search(table, seed=0, memory=16))
    return stage_of(search.front.rows, 0)


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
