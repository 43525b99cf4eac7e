"""Team of searches that work on one position in parallel, on the available cores.

Each round gives every member its turn, and the verdict is taken only after the round. So neither the number of cores
nor the point where the team pauses changes what it finds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from games.solver.jit import COMPILED
from games.solver.search_drivers import Search
from games.solver.statuses import LOST, RUNNING, SPENT, WON


class Team(Search):
    """A parallel search that is won or lost as soon as one member is.

    ``turns`` are the positions that each member looks at in a round, ideally chosen so that all turns take equally
    long. Before the first round, the members start in sequence, whatever the budget, so that a single thread compiles
    everything up front. Numba may hang when several threads of a forked process compile.
    """

    def __init__(self, members: Sequence[Search], turns: Sequence[int]) -> None:
        self.members, self.turns = members, turns
        self.targets = [0 for _ in members]
        self.status = self._verdict()

    @property
    def nodes(self) -> int:
        return sum(member.nodes for member in self.members)

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        if self.status == RUNNING and not any(self.targets):
            for member in self.members:
                member.run(1)
            self._end_round()
        with ThreadPoolExecutor(os.cpu_count(), "solver") as threads:
            while self.status == RUNNING and self.nodes < stop:
                self._play(threads, stop)
                if not self._due():
                    self._end_round()
        self.tries = sum(member.tries for member in self.members)
        return self.status

    def tokens(self) -> list[str]:
        return next(member.tokens() for member in self.members if member.status == WON)

    def _end_round(self) -> None:
        self.status = self._verdict()
        self.targets = [target + turn for target, turn in zip(self.targets, self.turns, strict=True)]

    def _due(self) -> list[tuple[Search, int]]:
        """Return the members whose turn in this round is not over, with the positions left in it."""
        pairs = zip(self.members, self.targets, strict=True)
        return [
            (member, target - member.nodes)
            for member, target in pairs
            if member.status == RUNNING and member.nodes < target
        ]

    def _play(self, threads: ThreadPoolExecutor, stop: int) -> None:
        """Continue the round: all turns in parallel, or one at a time without Numba or near the end of the budget."""
        due = self._due()
        if COMPILED and sum(left for _, left in due) <= stop - self.nodes:
            list(threads.map(lambda turn: turn[0].run(turn[1]), due))
            return
        for member, left in due:
            if self.nodes < stop:
                member.run(min(left, stop - self.nodes))

    def _verdict(self) -> int:
        statuses = [member.status for member in self.members]
        return next((status for status in (WON, LOST, RUNNING) if status in statuses), SPENT)
