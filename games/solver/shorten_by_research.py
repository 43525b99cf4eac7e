"""Shorter lines for Stonewall and Labyrinth, found by searching again.

In Stonewall, a few small tries deduct points for each move and drop positions that cannot end sooner than the best line
so far. The length of a Labyrinth line depends on the number of rows it deals, so the search starts with the fewest rows
and allows one more each time until it wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from games.rules import Table
from games.solver.labyrinth.search import LabyrinthSearch
from games.solver.search_drivers import Search, Thrift
from games.solver.searches.labyrinth import labyrinth_start
from games.solver.searches.stonewall import stonewall_start
from games.solver.statuses import WON
from games.solver.stonewall.best_first import StonewallTries
from games.solver.stonewall.move_stack import position_of
from games.solver.stonewall.outline import make_outline

SEEN: Final = 1 << 19
NODES: Final = 200_000
KEPT: Final = 4096
THRIFTY: Final = (((3, 2, 2, 1, 2), 1), ((10, 4, 3, 1, 4), 2), ((6, 4, 4, 2, 4), 3))
"""Stonewall's tries: the weights in the score, and the points deducted for each move."""

Cancel = Callable[[], bool] | None


def shorten_by_research(table: Table, line: list[str], cancel: Cancel = None) -> list[str]:
    """Return the line, or a shorter one from the same position.

    The result is deterministic unless ``cancel`` stops the search.
    """
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
    outline = make_outline(position_of(start))
    most = len(line) - 1
    for weights, price in THRIFTY:
        thrift = Thrift(price, most)
        search = StonewallTries(start, outline=outline, limit=KEPT, weights=[weights], thrift=thrift)
        yield search
        if search.status == WON:
            most = len(search.tokens()) - 1


def _labyrinth(table: Table, line: list[str]) -> Iterator[Search]:
    start = labyrinth_start(table)
    for rows in range(start.rows, start.rows + line.count("d")):
        search = LabyrinthSearch(start, limit=SEEN, most=rows)
        yield search
        if search.status == WON:
            return
