"""Search drivers: once through everything, or in repeated tries with a frontier.

Both can pause after any number of positions and continue later; where they pause does not change what they find.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from games.solver.frontier import COUNT, NODES, Frontier, line, make_frontier, reset
from games.solver.kernel_tools import Ints, SeenKeys
from games.solver.statuses import FULL, LOST, RUNNING, SPENT, WON


class Search(ABC):
    """A search in progress. ``status`` is ``RUNNING``, ``WON``, ``LOST`` or ``SPENT``."""

    status: int
    tries: int = 1

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Positions looked at so far."""

    @abstractmethod
    def run(self, nodes: int) -> int:
        """Look at about ``nodes`` more positions, and return the status."""

    def warm_up(self) -> None:
        """Load or compile what the search runs, by looking at one position."""
        self.run(1)

    @abstractmethod
    def tokens(self) -> list[str]:
        """Return the winning line as tokens; only after ``WON``."""


class Exhaustive(Search):
    """Depth-first search through all positions, remembering each; ``SPENT`` when there is no room for more."""

    def __init__(self, limit: int) -> None:
        self.seen = SeenKeys(limit)
        self.status = RUNNING

    @abstractmethod
    def explore(self, nodes: int) -> int:
        """Continue for up to ``nodes`` positions and return a status from ``states``."""

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        while self.status == RUNNING and self.nodes < stop:
            result = self.explore(stop - self.nodes)
            if result != FULL:
                self.status = result
            elif not self.seen.grow():
                self.status = SPENT
        return self.status


def slots_in(memory: int) -> int:
    """Return the most slots that a growing set of keys may have in ``memory`` bytes.

    It is a power of two: 8 bytes per slot, and while the set grows, as much again for half of them.
    """
    return 1 << max(12, (memory // 12).bit_length() - 1)


class TryPlan(NamedTuple):
    """The size of one try: positions expanded in each stage (``width``), noise in the score, open positions kept
    (``slots``), positions kept in all (``nodes``).
    """

    width: int
    noise: int
    slots: int
    nodes: int


class Thrift(NamedTuple):
    """Cost of long lines: points off a position's score for each token that led to it (``price``), and the most tokens
    that a line may have.
    """

    price: int
    most: int


SCALE = 4
"""Factor by which the scores of a thrifty search are finer than others; its prices are in these points."""
THRIFTY = 1 << 17
"""The most positions that a try of a thrifty search keeps."""
NO_MATTER = Thrift(0, 1 << 14)
"""No preference for short lines: any line will do."""


def wider(width: int, number: int) -> int:
    """Return the width of try ``number``: every fourth try is four times as wide, every sixteenth sixteen times, and so
    on.

    Each width gets an equal share of the work, and a small position is searched completely sooner or later.
    """
    number += 1
    while number % 4 == 0:
        number //= 4
        width *= 4
    return width


class Tries(Search):
    """Repeated best-first tries, each with different noise. A try that drops nothing and finds no win proves a loss."""

    ROW: int

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.status = RUNNING
        self.tries = 0
        self.earlier = 0
        self.front: Frontier = make_frontier(self.ROW, 1, 1)

    @abstractmethod
    def plan(self, number: int) -> TryPlan:
        """Return the plan of a try, counted from 0."""

    @abstractmethod
    def load(self) -> int:
        """Write the starting position to slot 0, and return its key."""

    @abstractmethod
    def explore(self, plan: TryPlan, nodes: int) -> int:
        """Continue the try for up to ``nodes`` positions and return a status from ``states``."""

    @abstractmethod
    def is_won_at_once(self) -> bool:
        """Return whether the position in slot 0 is already won, with no search needed."""

    def begin(self) -> None:
        """Start the next try."""
        self.earlier += int(self.front.state[NODES])
        self.current = self.plan(self.tries)
        # Free the arrays of the previous try first, so that memory never holds both.
        self.front = make_frontier(self.ROW, 1, 1)
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
        """Return the chosen moves of the win, from the root. Load slot 0 again before making them."""
        return line(self.front, int(self.front.state[COUNT]) - 1)


class LoggedTries(Tries):
    """Tries of a game in which one move causes others. ``log`` lists the moves caused, its length first."""

    UP: int
    """The place of the number of cards up in a packed position."""
    goal: int = 104
    log: Ints

    def is_won_at_once(self) -> bool:
        return bool(self.front.rows[self.UP] == self.goal)

    @abstractmethod
    def make(self, move: int) -> None:
        """Make a move and those it causes in the position in slot 0, and log those; ``load`` logs too."""

    @abstractmethod
    def written(self, move: int) -> list[str]:
        """Return the tokens of a move that the position in slot 0 allows."""

    def tokens(self) -> list[str]:
        moves = self.winning_moves()
        self.load()
        tokens = self._caused()
        for move in moves:
            tokens += self.written(move)
            self.make(move)
            tokens += self._caused()
        return tokens

    def _caused(self) -> list[str]:
        return [token for move in list(self.log[1 : self.log[0] + 1]) for token in self.written(int(move))]


class Combined(Search):
    """Several searches with one verdict: the first win or loss ends them all, unless a subclass decides otherwise."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = searches
        self.status = self.verdict()

    @property
    def nodes(self) -> int:
        return sum(search.nodes for search in self.searches)

    def verdict(self) -> int:
        """Return the common status."""
        statuses = {search.status for search in self.searches}
        return next(status for status in (WON, LOST, RUNNING, SPENT) if status in statuses)

    def tokens(self) -> list[str]:
        return next(search for search in self.searches if search.status == WON).tokens()


class InTurns(Combined):
    """Several searches of one position that take turns.

    In the first round each may look at ``first`` positions times its share; every round doubles that.
    """

    def __init__(self, searches: Sequence[Search], shares: Sequence[int], *, first: int) -> None:
        super().__init__(searches)
        self.targets = [first * share for share in shares]
        self.turn = 0
        self.tries = sum(search.tries for search in searches)

    def raised(self, target: int) -> int:
        """Return the positions that a search may have looked at by the end of its next turn."""
        return 2 * target

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        while self.status == RUNNING and self.nodes < stop:
            search, target = self.searches[self.turn], self.targets[self.turn]
            if search.status == RUNNING and search.nodes < target:
                search.run(min(target - search.nodes, stop - self.nodes))
                self.status = self.verdict()
            else:
                self.targets[self.turn] = self.raised(target)
                self.turn = (self.turn + 1) % len(self.searches)
        self.tries = sum(search.tries for search in self.searches)
        return self.status

    def warm_up(self) -> None:
        for search in self.searches:
            search.warm_up()


class EitherWay(InTurns):
    """Two searches that take equal turns: won if either is won, lost if both are lost."""

    TURN = 20_000

    def __init__(self, ways: dict[str, Search]) -> None:
        super().__init__(list(ways.values()), [1] * len(ways), first=self.TURN)
        self.ways = ways

    def raised(self, target: int) -> int:
        return target + self.TURN

    def verdict(self) -> int:
        statuses = {search.status for search in self.searches}
        return next(status for status in (WON, RUNNING, SPENT, LOST) if status in statuses)

    def tokens(self) -> list[str]:
        first, way = next((first, way) for first, way in self.ways.items() if way.status == WON)
        return [first, *way.tokens()]
