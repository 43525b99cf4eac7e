"""Team of searches that work on one position in parallel, on the available cores.

Each round gives every search its turn, and the verdict is taken only after the round. So neither the number of cores
nor the point where the team pauses changes what it finds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from games.solver.jit import COMPILED
from games.solver.search_drivers import Combined, Search
from games.solver.statuses import RUNNING


class Team(Combined):
    """A parallel search that is won or lost as soon as one of its searches is.

    ``turns`` are the positions that each search looks at in a round, ideally chosen so that all turns take equally
    long. Before the first round, the searches start in sequence, whatever the budget, so that a single thread compiles
    everything up front. Numba may hang when several threads of a forked process compile.
    """

    def __init__(self, searches: Sequence[Search], turns: Sequence[int]) -> None:
        super().__init__(searches)
        self.turns = turns
        self.targets = [0 for _ in searches]

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        if self.status == RUNNING and not any(self.targets):
            for search in self.searches:
                search.run(1)
            self._end_round()
        with ThreadPoolExecutor(os.cpu_count(), "solver") as threads:
            while self.status == RUNNING and self.nodes < stop:
                self._play(threads, stop)
                if not self._due():
                    self._end_round()
        self.tries = sum(search.tries for search in self.searches)
        return self.status

    def _end_round(self) -> None:
        self.status = self.verdict()
        self.targets = [target + turn for target, turn in zip(self.targets, self.turns, strict=True)]

    def _due(self) -> list[tuple[Search, int]]:
        """Return the searches whose turn in this round is not over, with the positions left in it."""
        pairs = zip(self.searches, self.targets, strict=True)
        return [
            (search, target - search.nodes)
            for search, target in pairs
            if search.status == RUNNING and search.nodes < target
        ]

    def _play(self, threads: ThreadPoolExecutor, stop: int) -> None:
        """Continue the round: all turns in parallel, or one at a time without Numba or near the end of the budget."""
        due = self._due()
        if COMPILED and sum(left for _, left in due) <= stop - self.nodes:
            list(threads.map(lambda turn: turn[0].run(turn[1]), due))
            return
        for search, left in due:
            if self.nodes < stop:
                search.run(min(left, stop - self.nodes))
