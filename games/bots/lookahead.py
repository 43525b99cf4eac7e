"""Search for a bot's next moves on imagined tables, with the solver.

Between two reveals nothing unknown happens, so the question is only how to get to the next one. The winning lines of
some imagined tables suggest ways, and the best way is the one that leaves most of these tables winnable.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from games.bots.imagination import Imagined
from games.rules import Table
from games.solver import Budget, Solution, solve

Way = tuple[str, ...]


#: CPU seconds of the search for a game.
SECONDS: Final = 4.0


class Effort(NamedTuple):
    """Work for a decision: winnable tables to compare ways on, tables to imagine at most, and positions per search."""

    tables: int
    imagined: int
    nodes: int


#: In the long games a search takes so long that the line of one table has to do.
EFFORTS: Final = {
    "labyrinth": Effort(24, 72, 1_000),
    "stonewall": Effort(8, 40, 1_000),
    "braid": Effort(1, 2, 10_000),
    "tarot": Effort(1, 2, 30_000),
    "plot": Effort(1, 2, 10_000),
}
#: The search once all cards have been seen, and CPU seconds reserved for it.
ALL_SEEN: Final = Effort(1, 1, 100_000)
RESERVE: Final = 2.0
#: Ways this many tables behind the best are not tried any further.
BEHIND: Final = 3
_MEMORY: Final = 16


class Lookahead:
    """The search of one game. It has some seconds of CPU time, and is less thorough in the second half of them."""

    def __init__(self, chance: Random, seconds: float) -> None:
        self._chance = chance
        now = time.process_time()
        self._hurried_at, self._ends_at = now + seconds / 2, now + seconds

    def way(self, imagined: Imagined) -> Way:
        """Return the moves up to the next reveal; none if no imagined table is won, or the time is over."""
        tables = list(self._winnable(imagined))
        if len(tables) < 2:
            return _up_to_reveal(*tables[0]) if tables else ()
        lines = [_up_to_reveal(table, line) for table, line in tables]
        ways = {tuple(sorted(way)): way for way in (*_reveals(imagined), *sorted(lines, key=len, reverse=True))}
        scores = dict.fromkeys(sorted(ways.values(), key=lines.count, reverse=True), 0)
        nodes = self._effort(imagined).nodes
        for (table, _), line in zip(tables, lines, strict=True):
            for way in scores:
                scores[way] += way == line or _is_won(table.table, way, nodes)
            best = max(scores.values())
            scores = {way: score for way, score in scores.items() if score > best - BEHIND}
        return max(scores, key=scores.__getitem__)

    def can_win(self, imagined: Imagined) -> bool:
        """Return whether the game is won on some imagined table."""
        return next(self._winnable(imagined), None) is not None

    def _effort(self, imagined: Imagined) -> Effort:
        if not imagined.unseen.count:
            return ALL_SEEN
        effort = EFFORTS[imagined.table.GAME]
        return effort if time.process_time() < self._hurried_at else effort._replace(tables=1)

    def _winnable(self, imagined: Imagined) -> Iterator[tuple[Imagined, Way]]:
        """Yield imagined tables that can be won, with the line."""
        effort, found = self._effort(imagined), 0
        latest = self._ends_at + (0 if imagined.unseen.count else RESERVE)
        for _ in range(effort.imagined):
            if found == effort.tables or time.process_time() >= latest:
                return
            other = imagined.another(self._chance)
            budget = Budget(nodes=effort.nodes, memory=_MEMORY)
            result = solve(other.table, budget, cancel=lambda: time.process_time() >= latest)
            if isinstance(result, Solution):
                found += 1
                yield other, result.tokens


def _up_to_reveal(imagined: Imagined, line: Way) -> Way:
    """Return the line up to the first move that reveals a card, or all of it."""
    table, pushed = imagined.table, 0
    for token in line:
        table.push(token)
        pushed += 1
        if imagined.unseen.after(table) is not imagined.unseen:
            break
    for _ in range(pushed):
        table.pop()
    return line[:pushed]


def _reveals(imagined: Imagined) -> Iterator[Way]:
    """Yield the legal moves that reveal a card."""
    table = imagined.table
    for token in table.legal_moves():
        table.push(token)
        if imagined.unseen.after(table) is not imagined.unseen:
            yield (token,)
        table.pop()


def _is_won(table: Table, way: Way, nodes: int) -> bool:
    """Return whether a win is found after the way."""
    for token in way:
        table.push(token)
    won = table.is_won or isinstance(solve(table, Budget(nodes=nodes, memory=_MEMORY)), Solution)
    for _ in way:
        table.pop()
    return won
