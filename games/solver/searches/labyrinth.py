"""Search of Labyrinth: exhaustive."""

from __future__ import annotations

from typing import cast

from games.rules import Table
from games.rules.variants.labyrinth import Labyrinth
from games.solver.errors import PositionNotReachableError
from games.solver.labyrinth.search import LabyrinthSearch, LabyrinthStart
from games.solver.search_drivers import Search, slots_in


def make_search(table: Table, *, seed: int, memory: int) -> Search:  # noqa: ARG001 - nothing is random
    """Create a search of Labyrinth in ``memory`` bytes; ``seed`` numbers its random stream."""
    return LabyrinthSearch(labyrinth_start(table), limit=slots_in(memory))


def labyrinth_start(table: Table) -> LabyrinthStart:
    """Pack a Labyrinth position.

    :raises PositionNotReachableError: when the stock holds more cards than the rows left to deal.
    """
    position = cast("Labyrinth", table)
    if position.rows + (len(position.stock) + 7) // 8 > 6:
        raise PositionNotReachableError("the stock holds more cards than the rows to come")
    return LabyrinthStart(
        cells=[pile[0] if pile else -1 for pile in position.tableau],
        found=[len(pile) for pile in position.foundations],
        rows=position.rows,
        stock=position.stock[::-1],
    )
