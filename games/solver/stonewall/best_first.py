"""Best-first search of Stonewall in repeated tries.

A position is a row of numbers: for each card what it lies on (``FACE_DOWN`` more if it is face down), the tops of the
piles, and the number of moves made. The way to a position is stored as the number of each child among its parent's.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.solver.frontier import CUT, NODES, SEEN, Frontier, begin, close, cut, is_new, offer, rank_of, take
from games.solver.jit import jit, longs_of
from games.solver.kernel_tools import MASK, Ints
from games.solver.search_drivers import NO_MATTER, Thrift, Tries, TryPlan
from games.solver.statuses import LOST, RUNNING, SPENT, WON
from games.solver.stonewall.loss_proof import is_hopeless
from games.solver.stonewall.move_stack import (
    BEFORE,
    DONE,
    StonewallStack,
    StonewallStart,
    back_to,
    begin_choosing,
    is_won,
    make_stack,
    next_child,
    position_of,
    tokens_of,
)
from games.solver.stonewall.moves import twins
from games.solver.stonewall.outline import Outline, make_outline
from games.solver.stonewall.position import BASE, DOWN, FOUND, GONE, KEY, PILES, RESERVE, RESERVED, TOP, TOPS, continues

MADE, ROW = 58, 59
FACE_DOWN = 64
SPACE, ABOVE_LOWER, ON_WANTED, HIDDEN, BREAK, PRICE, MOST = range(7)
"""Weights in the score: an empty pile, a card on a lower one of its suit, a run on the next card of a foundation, a
face-down card, and a card that does not continue the one it lies on. Then come the fields of ``Thrift``.
"""
WEIGHTS = ((3, 2, 2, 1, 2), (10, 4, 3, 1, 4))
FIRST, NOISE = 1 << 12, 4
"""Positions seen in the first try; each later try has room for eight times as many as the one before. ``NOISE`` is used
once all weights have been tried.
"""
MOST_SEEN = 1 << 20
"""Limit of positions seen. A search that must look further does better with keys alone."""
LEVELS = 40
"""Choices until nothing is pending: at most one for each reserve card, and the run that ends a series."""


@jit
def pack(pos: Ints, made: int, rows: Ints, at: int) -> None:
    """Write the position and the number of moves that led to it to a row."""
    rows[at + MADE] = made
    for card in range(52):
        rows[at + card] = pos[card] + FACE_DOWN * pos[DOWN + card]
    for pile in range(PILES):
        rows[at + TOP + pile] = pos[TOP + pile]


@jit
def unpack(pos: Ints, rows: Ints, at: int, key: int) -> None:
    """Load the position from a row and the key stored with it."""
    for suit in range(4):
        pos[FOUND + suit] = 0
    pos[RESERVED] = 0
    for card in range(52):
        down = rows[at + card] // FACE_DOWN
        below = rows[at + card] % FACE_DOWN
        pos[card] = below
        pos[DOWN + card] = down
        if below == GONE:
            pos[FOUND + card // 13] += 1
        elif below == RESERVE:
            pos[RESERVED] |= 1 << card
    pos[TOPS] = 0
    for pile in range(PILES):
        top = rows[at + TOP + pile]
        pos[TOP + pile] = top
        if top >= 0:
            pos[TOPS] |= 1 << top
    pos[KEY] = key


@jit
def explore(front: Frontier, stack: StonewallStack, weights: Ints, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions and return ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``."""
    pos, state = stack.pos, front.state
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        slot = take(front, len(front.parents))
        if slot < 0:
            return LOST if state[CUT] == 0 else SPENT
        unpack(pos, front.rows, slot * ROW, front.facts[slot])
        stack.state[DONE] = 0
        begin_choosing(stack)
        number = 0
        while next_child(stack):
            number += 1
            child = begin(front)
            if child < 0 or state[SEEN] == len(front.parents):
                return SPENT
            made = front.rows[slot * ROW + MADE] + stack.state[DONE]
            if made + cards_left(pos) > weights[MOST]:
                cut(front)
            elif is_won(pos):
                offer(front, slot, child, number, 0)
                return WON
            elif is_promising(front, stack):
                pack(pos, made, front.rows, child * ROW)
                front.facts[child] = pos[KEY]
                score = score_of(pos, weights) - weights[PRICE] * made
                offer(front, slot, child, number, rank_of(front, 0, score, noise))
            back_to(stack, stack.state[BEFORE])
        close(front, slot)
    return RUNNING


@jit
def cards_left(pos: Ints) -> int:
    """Return the number of cards that are not up."""
    return 52 - pos[FOUND] - pos[FOUND + 1] - pos[FOUND + 2] - pos[FOUND + 3]


@jit
def is_promising(front: Frontier, stack: StonewallStack) -> bool:
    """Return whether the position is not provably lost, and neither it nor one equivalent to it was seen before."""
    if not is_new(front, (stack.pos[KEY] + twins(stack.pos, stack.keys)) & MASK):
        return False
    front.state[SEEN] += 1
    return not is_hopeless(stack.pos, stack.outline)


@jit
def score_of(pos: Ints, weights: Ints) -> int:
    """Return the position's score: higher is more promising."""
    score = 0
    for pile in range(PILES):
        if pos[TOP + pile] < 0:
            score += weights[SPACE]
        else:
            score -= trouble(pos, pos[TOP + pile], weights)
    return score


@jit
def trouble(pos: Ints, card: int, weights: Ints) -> int:
    """Return the penalty for obstacles in the pile with this card on top."""
    found = 0
    highest = 0  # of each suit, in four bits
    runs = 0
    while True:
        suit, rank = card // 13, card % 13
        higher = highest >> (4 * suit) & 15
        if higher > rank:
            found += weights[ABOVE_LOWER]
        else:
            highest += (rank - higher) << (4 * suit)
        if rank == pos[FOUND + suit]:
            found += weights[ON_WANTED] * runs
        found += weights[HIDDEN] * pos[DOWN + card]
        if pos[card] == BASE:
            return found
        if not continues(pos, card):
            found += weights[BREAK]
            runs += 1
        card = pos[card]


class StonewallTries(Tries):
    """Search for a win in repeated tries, each with more room.

    ``limit`` bounds the positions a try may see; after a try of that size, the search is ``SPENT``.
    """

    ROW = ROW

    def __init__(
        self, start: StonewallStart, *, outline: Outline | None = None, seed: int = 0, limit: int = 1 << 20,
        weights: Sequence[Sequence[int]] = WEIGHTS, thrift: Thrift = NO_MATTER,
    ) -> None:  # fmt: skip
        super().__init__(seed)
        self.start, self.limit = start, limit
        self.all_weights, self.thrift = weights, thrift
        self.outline = outline or make_outline(position_of(start))
        self.begin()

    def plan(self, number: int) -> TryPlan:
        nodes = min(self.limit, FIRST << (3 * number))
        return TryPlan(nodes, NOISE if number >= len(self.all_weights) else 0, nodes // 4, nodes)

    def begin(self) -> None:
        if self.tries and self.current.nodes == self.limit:
            self.status = SPENT
        else:
            self.weights = longs_of([*self.all_weights[self.tries % len(self.all_weights)], *self.thrift])
            super().begin()

    def load(self) -> int:
        self.stack = make_stack(self.start, LEVELS, self.outline)
        pack(self.stack.pos, int(self.stack.state[DONE]), self.front.rows, 0)
        return int(self.stack.pos[KEY])

    def explore(self, plan: TryPlan, nodes: int) -> int:
        return explore(self.front, self.stack, self.weights, plan.noise, nodes)

    def is_won_at_once(self) -> bool:
        return bool(is_won(self.stack.pos))

    def tokens(self) -> list[str]:
        numbers = self.winning_moves()
        stack = make_stack(self.start, LEVELS + 3 * len(numbers), self.outline)
        for number in numbers:
            begin_choosing(stack)
            for _ in range(number - 1):
                next_child(stack)
                back_to(stack, stack.state[BEFORE])
            next_child(stack)
        return tokens_of(self.start, stack)
