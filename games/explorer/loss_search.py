"""Search for the moves that lost the games of a deal: bisection with the solver, within a time limit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from games.explorer.trails import Trail, digest_of, table_after
from games.explorer.verdict_graph import Verdict, VerdictGraph
from games.rules import Table, from_position
from games.solver import Budget, Solution, Unwinnable, load, solve

MEMORY: Final = 256
#: Node budgets of the successive passes over all games: easy positions of many games are settled first.
EFFORTS: Final = (3_000, 30_000, 300_000)


class LossSearch:
    """Settles unknown positions of lost games until each losing move is known or the time is up.

    `opening` is a position text, `seconds` the time limit without loading the solver. `proofs` has the verdicts found,
    by digest.
    """

    def __init__(self, opening: str, graph: VerdictGraph, *, seconds: float, version: int) -> None:
        self._opening, self._graph, self._version = opening, graph, version
        self.proofs: dict[int, int] = {}
        load(from_position(opening, version=version))
        self._ends_at = time.monotonic() + seconds

    def run(self, trails: Sequence[Trail]) -> None:
        """Search the games that were not won, in turn, with more effort in each pass."""
        lost = [trail for trail in trails if not trail.game.won]
        for effort in EFFORTS:
            tried: set[int] = set()
            for trail in lost:
                while self._seconds > 0 and (number := self._next(trail, tried)) is not None:
                    tried.add(trail.digests[trail.standing[number]])
                    self._try(table_after(self._opening, trail.line[:number], version=self._version), effort)

    @property
    def _seconds(self) -> float:
        return self._ends_at - time.monotonic()

    def _next(self, trail: Trail, tried: set[int]) -> int | None:
        """Return the middle of a game's unknown positions that are not tried yet, as a number of moves; None if none.

        On the line that stood, they lie between the last winnable position and the first lost one.
        """
        digests = [trail.digests[n] for n in trail.standing]
        free = [k for k, one in enumerate(digests) if self._graph[one] == Verdict.UNKNOWN and one not in tried]
        return free[len(free) // 2] if free else None

    def _try(self, table: Table, effort: int) -> None:
        digest = digest_of(table)
        result = solve(table, Budget(nodes=effort, seconds=max(0.01, self._seconds), memory=MEMORY))
        if isinstance(result, Solution):
            line = [digest]
            for token in result.tokens:
                table.push(token)
                line.append(digest_of(table))
            self._graph.won(line)
            self.proofs[digest] = Verdict.WINNABLE
        elif isinstance(result, Unwinnable):
            self._graph.lost(digest)
            self.proofs[digest] = Verdict.LOST
