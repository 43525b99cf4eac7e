"""The two ways a game is searched: once through everything, or try after try with a frontier.

Both stop after any number of positions and go on where they stopped; where they stop never changes what they find.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from games.solver.frontier import COUNT, NODES, Frontier, line, make_frontier, reset
from games.solver.states import FULL, LOST, RUNNING, SPENT, WON
from games.solver.tools import Ints, SeenKeys


class Search(ABC):
    """A search under way; ``status`` is one of ``RUNNING``, ``WON``, ``LOST``, ``SPENT``."""

    status: int
    tries: int = 1

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Positions looked at so far."""

    @abstractmethod
    def run(self, nodes: int) -> int:
        """Look at up to about ``nodes`` more positions; the status."""

    @abstractmethod
    def tokens(self) -> list[str]:
        """The winning line; after ``WON`` only."""


class Exhaustive(Search):
    """Depth-first through all positions, remembering every one seen; ``SPENT`` when there is no room for more."""

    def __init__(self, limit: int) -> None:
        self.seen = SeenKeys(limit)
        self.status = RUNNING

    @abstractmethod
    def explore(self, nodes: int) -> int:
        """Continue for up to ``nodes`` positions."""

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        while self.status == RUNNING and self.nodes < stop:
            result = self.explore(stop - self.nodes)
            if result != FULL:
                self.status = result
            elif not self.seen.grow():
                self.status = SPENT
        return self.status


class Plan(NamedTuple):
    """How wide one try is: positions expanded a stage, noise in the score, open and all positions kept."""

    width: int
    noise: int
    slots: int
    nodes: int


def wider(width: int, number: int) -> int:
    """The width of a try: every fourth one is four times as wide, every sixteenth sixteen times, and so on.

    Each width gets an equal share of the work, and a small position is sooner or later looked at in full.
    """
    number += 1
    while number % 4 == 0:
        number //= 4
        width *= 4
    return width


class Tries(Search):
    """Best-first tries, each with other noise; a try that leaves nothing out proves that there is no win."""

    ROW: int

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.status = RUNNING
        self.tries = 0
        self.earlier = 0
        self.front: Frontier = make_frontier(self.ROW, 1, 1)

    @abstractmethod
    def plan(self, number: int) -> Plan:
        """The plan of a try, counted from 0."""

    @abstractmethod
    def load(self) -> int:
        """Write the starting position to slot 0; its key."""

    @abstractmethod
    def explore(self, plan: Plan, nodes: int) -> int:
        """Continue the try for up to ``nodes`` positions."""

    @abstractmethod
    def is_won_at_once(self) -> bool:
        """Whether the position in slot 0 is won by moves that need no search."""

    def begin(self) -> None:
        """Start the next try."""
        self.earlier += int(self.front.state[NODES])
        self.current = self.plan(self.tries)
        self.front = make_frontier(self.ROW, self.current.slots, self.current.nodes)
        key = self.load()
        reset(self.front, (self.seed * 7919 + self.tries + 1) & 0x7FFFFFFF)
        self.front.facts[0] = key
        self.tries += 1
        if self.is_won_at_once():
            self.status = WON

    @property
    def nodes(self) -> int:
        return self.earlier + int(self.front.state[NODES])

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        while self.status == RUNNING and self.nodes < stop:
            result = self.explore(self.current, stop - self.nodes)
            if result == SPENT:
                self.begin()
            else:
                self.status = result
        return self.status

    def winning_moves(self) -> list[int]:
        """The chosen moves of the win, from the root; ``load`` has yet to put the root back."""
        return line(self.front, int(self.front.state[COUNT]) - 1)


class LoggedTries(Tries):
    """Tries of a game in which a move brings others with it: a log holds what was made, its length first."""

    log: Ints

    @abstractmethod
    def make(self, move: int) -> None:
        """Make a move and what follows from it in the position in slot 0, and log both; `load` logs too."""

    @staticmethod
    @abstractmethod
    def token(move: int) -> str:
        """A logged move as a token of the rules."""

    def tokens(self) -> list[str]:
        moves = self.winning_moves()
        self.load()
        made = self._logged()
        for move in moves:
            self.log[0] = 0
            self.make(move)
            made += self._logged()
        return [self.token(move) for move in made]

    def _logged(self) -> list[int]:
        return [int(move) for move in list(self.log[1 : self.log[0] + 1])]


class EitherWay(Search):
    """Two searches by turns; won if one is, lost if both are."""

    TURN = 20_000

    def __init__(self, ways: dict[str, Search]) -> None:
        self.ways = ways
        self.turn = 0
        self.status = self._verdict()

    @property
    def nodes(self) -> int:
        return sum(way.nodes for way in self.ways.values())

    def _verdict(self) -> int:
        stati = [way.status for way in self.ways.values()]
        if WON in stati:
            return WON
        if all(status == LOST for status in stati):
            return LOST
        return RUNNING if RUNNING in stati else SPENT

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        ways = list(self.ways.values())
        while self.status == RUNNING and self.nodes < stop:
            way = ways[self.turn % len(ways)]
            target = (self.turn // len(ways) + 1) * self.TURN
            if way.status != RUNNING or way.nodes >= target:
                self.turn += 1
                continue
            way.run(min(target - way.nodes, stop - self.nodes))
            self.status = self._verdict()
        self.tries = sum(way.tries for way in ways)
        return self.status

    def tokens(self) -> list[str]:
        first, way = next((first, way) for first, way in self.ways.items() if way.status == WON)
        return [first, *way.tokens()]
