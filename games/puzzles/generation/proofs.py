"""Proofs of puzzles: the solver's verdicts on moves, and a second proof of each loss.

A win is a line that the rules replay. The second proof of a loss comes from brute force by the rules alone if it ends
soon, and otherwise from the solver with another random stream and ten times the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from games.puzzles.generation.claim_check import findings
from games.puzzles.puzzle import Puzzle
from games.rules import Table
from games.solver import Budget, shorten
from games.solver.searches import exhaustive_search, make_search
from games.solver.statuses import LOST, RUNNING, WON

if TYPE_CHECKING:
    from games.solver.search_drivers import Search

NODES: Final = 1_500
SECOND_NODES: Final = 10 * NODES
#: Positions that brute force visits in a second proof.
BY_RULES: Final = 200
#: Tokens that shortening a winning line may push.
_SHORTENING: Final = 2_000
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


def short_win(table: Table, judge: Judge) -> tuple[str, ...] | None:
    """Return a short winning line, empty at a won position; None if no search finds one."""
    tokens = judge.win(table)
    if tokens:
        return shorten(table, tokens, work=_SHORTENING)
    return () if table.is_won else None


def prove_again(puzzle: Puzzle) -> Puzzle | None:
    """Return the puzzle if a second proof of each claim holds (`claim_check`)."""
    budget = Budget(nodes=SECOND_NODES, memory=_MEMORY)
    holds = all(finding not in ("wrong", "undecided") for finding in findings(puzzle, _SECOND_SEED, BY_RULES, budget))
    return puzzle if holds else None
