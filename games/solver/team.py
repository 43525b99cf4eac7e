"""Several searches of one position side by side, on as many cores as there are for them.

Each round gives every member its turn, and only then is the verdict taken. So neither the number of cores nor the
place where the team pauses changes what it finds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from games.solver.jit import COMPILED
from games.solver.search import Search
from games.solver.states import LOST, RUNNING, SPENT, WON


class Team(Search):
    """Won or lost as soon as one member has found it so. ``turns`` are the positions that each looks at in a round:
    best so many that all take equally long.

    Before the first round each begins, whatever the budget, one after the other: so what has to be compiled is compiled
    at once and by one thread. Numba may hang when several threads of a forked process compile.
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
        """The members whose turn of this round is not over, and the positions that are left of it."""
        pairs = zip(self.members, self.targets, strict=True)
        return [
            (member, target - member.nodes)
            for member, target in pairs
            if member.status == RUNNING and member.nodes < target
        ]

    def _play(self, threads: ThreadPoolExecutor, stop: int) -> None:
        """Go on with the round: with all its turns at once, or with what the budget still allows of them, in order."""
        due = self._due()
        if COMPILED and sum(left for _, left in due) <= stop - self.nodes:
            list(threads.map(lambda turn: turn[0].run(turn[1]), due))
            return
        for member, left in due:
            if self.nodes < stop:
                member.run(min(left, stop - self.nodes))

    def _verdict(self) -> int:
        stati = [member.status for member in self.members]
        return next((status for status in (WON, LOST, RUNNING) if status in stati), SPENT)
