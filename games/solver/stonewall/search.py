"""Stonewall: depth-first search with a set of seen positions; moves are made and taken back in one packed position.

Rules: ``games.rules.variants.stonewall``. Five facts keep the search small. A card that no other card needs goes to its
foundation at once (``moves``). Moving a reserve card to a pile gains nothing until a run is put on it, so such
moves come as a series on one pile, which a run from another pile ends. The order of the piles does not matter: a key is
a sum over pairs (a card, what it lies on). Positions that lead to each other by moves of runs count as one
(``moves``). And a position is lost if even a simpler game, which ignores how the runs lie, can't be won
(``outline``, ``loss_proof``).

That game shows nearly every loss at the start, and the searches only follow positions that it can still win. Two
searches take turns: this one, and best-first tries (``best_first``).
"""

from __future__ import annotations

from games.solver.jit import jit, longs
from games.solver.kernel_tools import MASK, Ints, add_key
from games.solver.search_drivers import Exhaustive
from games.solver.statuses import FULL, LOST, RUNNING, SPENT, WON
from games.solver.stonewall.loss_proof import is_hopeless
from games.solver.stonewall.move_stack import (
    BEFORE,
    LEVEL,
    StonewallStack,
    StonewallStart,
    ascend,
    back_to,
    choose,
    descend,
    is_won,
    make_stack,
    tokens_of,
)
from games.solver.stonewall.moves import twins
from games.solver.stonewall.outline import Outline
from games.solver.stonewall.position import KEY

SEEN, NODES, CUT = range(3)
MOST_DEPTH = 3000


@jit
def explore(stack: StonewallStack, state: Ints, seen: Ints, room: int, nodes: int) -> int:
    """Continue the search for up to ``nodes`` positions and return a status from ``states``."""
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        if state[SEEN] >= room:
            return FULL
        if not ascend(stack):
            return LOST if state[CUT] == 0 else SPENT
        state[NODES] += 1
        pending = choose(stack)
        if pending < 0:
            if is_won(stack.pos):
                return WON
            if is_dead_end(stack, state, seen):
                back_to(stack, stack.state[BEFORE])
                continue
        if stack.state[LEVEL] + 2 >= len(stack.first):
            state[CUT] = 1
            back_to(stack, stack.state[BEFORE])
            continue
        descend(stack, pending)
    return RUNNING


@jit
def is_dead_end(stack: StonewallStack, state: Ints, seen: Ints) -> bool:
    """Return whether the position, or one equivalent to it, was seen before or is provably lost."""
    if add_key(seen, (stack.pos[KEY] + twins(stack.pos, stack.keys)) & MASK) == 0:
        return True
    state[SEEN] += 1
    return is_hopeless(stack.pos, stack.outline)


class StonewallSearch(Exhaustive):
    """Exhaustive search that decides a position, unless that takes more than ``MOST_DEPTH`` choices in a row."""

    def __init__(self, start: StonewallStart, *, outline: Outline | None = None, limit: int = 1 << 22) -> None:
        super().__init__(limit)
        self.start = start
        self.stack = make_stack(start, MOST_DEPTH, outline)
        self.state = longs(3)
        if is_won(self.stack.pos):
            self.status = WON

    @property
    def nodes(self) -> int:
        return int(self.state[NODES])

    def explore(self, nodes: int) -> int:
        return explore(self.stack, self.state, self.seen.table, self.seen.room, nodes)

    def tokens(self) -> list[str]:
        return tokens_of(self.start, self.stack)
