"""Shorter lines for the depth-first games: search again with tighter and tighter bounds.

Stonewall's first line wanders, often for hundreds of moves; a shorter one is found quickly or not at all. A Labyrinth
line is as long as the number of rows it deals, and the smallest number of rows that wins is found exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from games.rules import Table
from games.solver.convert import labyrinth_start, stonewall_start
from games.solver.labyrinth import LabyrinthSearch
from games.solver.search import Search
from games.solver.states import WON
from games.solver.stonewall import StonewallSearch

SEEN: Final = 1 << 19
NODES: Final = 200_000
STEPS: Final = (0.5, 0.75, 0.9)
"""Bounds to try, as shares of the choices in the best line so far, the tightest first."""

Cancel = Callable[[], bool] | None


def shallower(table: Table, line: list[str], cancel: Cancel = None) -> list[str]:
    """The line, or a shorter one from the same position. The result is always the same unless ``cancel`` stops it."""
    searches = {"stonewall": _stonewall, "labyrinth": _labyrinth}.get(table.GAME)
    if searches is None:
        return line
    for search in searches(table, line):
        if cancel is not None and cancel():
            break
        if search.run(NODES) == WON:
            line = min(line, search.tokens(), key=len)
    return line


def _stonewall(table: Table, line: list[str]) -> Iterator[Search]:
    start = stonewall_start(table)
    deepest = len(line)
    step = 0
    while step < len(STEPS):
        search = StonewallSearch(start, limit=SEEN, deepest=max(3, int(deepest * STEPS[step])))
        yield search
        if search.status == WON and search.depth + 2 < deepest:
            deepest = search.depth + 2
        else:
            step += 1


def _labyrinth(table: Table, line: list[str]) -> Iterator[Search]:
    start = labyrinth_start(table)
    for rows in range(start.rows, start.rows + line.count("d")):
        search = LabyrinthSearch(start, limit=SEEN, most=rows)
        yield search
        if search.status == WON:
            return
