"""Proofs of puzzles: which moves win and which lose, with each loss proven twice.

A win is a line that the rules replay. The first proof of a loss is the solver's; the second comes from the exhaustive
search by the rules alone if it ends soon, and otherwise from the solver with another random stream and ten times the
budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.puzzle import Losses, Puzzle, successors
from games.rules import Table, from_position
from games.solver import Budget, Unwinnable, check_solution, solve
from games.solver.searches import exhaustive_search, make_search
from games.solver.statuses import LOST, RUNNING, WON

if TYPE_CHECKING:
    from games.solver.search_drivers import Search

NODES: Final = 1_500
SECOND_NODES: Final = 10 * NODES
#: Positions that the exhaustive search by the rules may visit.
BY_RULES: Final = 200
#: Positions that the quick exhaustive search may look at before the whole search takes over.
_QUICK_NODES: Final = 500
_SECOND_SEED: Final = 1
_MEMORY: Final = 16


class Judge:
    """The solver's verdicts on the positions of one deal. Each is searched once."""

    def __init__(self, nodes: int = NODES) -> None:
        self._nodes = nodes
        self._verdicts: dict[str, bool | None] = {}
        self._last: tuple[str, Search] | None = None

    def is_winnable(self, table: Table) -> bool | None:
        """Return whether a position can be won; None if the search gave up."""
        if table.is_won:
            return True
        position = table.position()
        if position not in self._verdicts:
            status = self._search(table, position).status
            self._verdicts[position] = None if status not in (WON, LOST) else status == WON
        return self._verdicts[position]

    def win(self, table: Table) -> list[str]:
        """Return a winning line; empty if the position is won, lost or undecided."""
        if not self.is_winnable(table) or table.is_won:
            return []
        position = table.position()
        last = self._last
        search = last[1] if last and last[0] == position else self._search(table, position)
        return search.tokens()

    def verdicts(self, table: Table) -> dict[str, bool | None]:
        """Return the verdict on each position that can be reached in one move, by its move."""
        return {token: self.after(table, token) for token in successors(table).values()}

    def after(self, table: Table, token: str) -> bool | None:
        """Return whether the position after a move can be won; None if the search gave up."""
        table.push(token)
        try:
            return self.is_winnable(table)
        finally:
            table.pop()

    def _search(self, table: Table, position: str) -> Search:
        search = exhaustive_search(table, memory=_MEMORY)
        if search is not None and search.status == RUNNING:
            search.run(_QUICK_NODES)
        if search is None or search.status not in (WON, LOST):
            search = make_search(table, seed=0, memory=_MEMORY)
            search.run(self._nodes)
        self._last = position, search
        return search


def prove_again(puzzle: Puzzle) -> tuple[Losses, ...] | None:
    """Return the losing moves of each turn after a second proof of each; None if one fails.

    :raises TokensError: when the puzzle's line does not win.
    """
    check_solution(from_position(puzzle.start), (*puzzle.line, *puzzle.finish))
    losses: list[Losses] = []
    for n in puzzle.turns:
        table, right = puzzle.table_at(n), puzzle.table_at(n + 1).position()
        wrong = {position: token for position, token in successors(table).items() if position != right}
        if not all(map(is_lost, wrong)):
            return None
        losses.append(dict.fromkeys(wrong.values()))
    return tuple(losses)


def is_lost(position: str) -> bool:
    """Return whether the second proof of a loss holds."""
    if prove_lost(position, BY_RULES) is not None:
        return True
    table = from_position(position)
    if table.is_won:
        return False
    budget = Budget(nodes=SECOND_NODES, memory=_MEMORY)
    return isinstance(solve(table, budget, seed=_SECOND_SEED), Unwinnable)
