"""Braid: beam search staged by stock position, best-first within a stage, with noise and a width that grows over tries.

Rules: ``games.rules.variants.braid``. A position's score comes from a play-out: how it ends if nothing more is parked
(``playout``). Simpler games, in which more cards are at hand, prove most losses, at the start or during the search
(``loss_proof``, ``tangle_proof``; at the start also ``order_proof``). Annealing (``anneal``) runs beside this search
and wins most deals first; this search wins some that annealing does not. In the middle of games, a third search goes
through all positions (``depth_first``).
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence

from games.solver.braid.loss_proof import is_hopeless
from games.solver.braid.playout import play_out
from games.solver.braid.position import (
    BRAID,
    CELLS,
    COST,
    DRAW,
    END,
    FILL,
    FROM_BRAID,
    FROM_WASTE,
    INNER,
    LEFT,
    NEXT,
    PARK,
    ROUND,
    ROUNDS,
    ROW,
    SEQ,
    UP,
    WASTE,
    BraidContext,
    BraidStart,
    apply,
    fits,
    key_of,
    load,
    make_deal,
    settle,
    token,
)
from games.solver.braid.tangle_proof import is_tangled
from games.solver.frontier import CUT, NODES, Frontier, begin, close, cut, is_new, offer, pass_over, rank_of, take
from games.solver.jit import jit
from games.solver.kernel_tools import MASK, Ints
from games.solver.search_drivers import NO_MATTER, LoggedTries, Thrift, TryPlan, wider
from games.solver.statuses import LOST, RUNNING, SPENT, WON

STAGES = 74
"""Number of stages in a round."""


@jit
def stage_of(row: Ints, base: int, rounds: int) -> int:
    """Return the position's stage: the pass through the stock, then the next stock card."""
    card = STAGES - 1
    if row[base + NEXT] < row[base + END]:
        card = row[base + SEQ + row[base + NEXT]]
    return (rounds - row[base + ROUNDS]) * STAGES + card


@jit
def score_of(row: Ints, base: int, deal: BraidContext) -> int:
    """Return the position's score by ``WEIGHTS``."""
    weights = deal.weights
    score = row[base + UP] * weights[0] - row[base + BRAID] * weights[1]
    for cell in range(INNER, CELLS):
        if row[base + cell] < 0:
            score += weights[2]
    up, left, _ = play_out(row, base, deal, None)
    return score + up * weights[3] - left * weights[4] - row[base + COST] * weights[5]


@jit
def is_allowed(row: Ints, base: int, move: int, deal: BraidContext) -> bool:
    """Return whether a move is legal and worth trying."""
    if move < CELLS:
        kind = row[base + move]
        return kind >= 0 and fits(row, base, kind)
    if move == FROM_BRAID:
        return row[base + BRAID] > 0 and fits(row, base, deal.braid[row[base + BRAID] - 1])
    if move == DRAW:
        return row[base + NEXT] < row[base + END]
    if row[base + WASTE] == 0:
        return False
    if move == FROM_WASTE:
        return fits(row, base, deal.cards[row[base + SEQ + row[base + WASTE] - 1]])
    if move == ROUND:
        return row[base + NEXT] == row[base + END] and row[base + ROUNDS] > 0
    first = INNER
    if row[base + BRAID] == 0:
        first = 0
    for cell in range(first, CELLS):
        if row[base + cell] < 0:
            return move == PARK + cell
    return False


@jit
def left_of(row: Ints, base: int) -> int:
    """Return the least number of tokens that can still win: each card goes up, and each stock card is drawn."""
    return 104 - row[base + UP] + row[base + END] - row[base + NEXT]


@jit
def explore(front: Frontier, deal: BraidContext, width: int, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions and return ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``."""
    rows, state = front.rows, front.state
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        slot = take(front, width)
        if slot < 0:
            return LOST if state[CUT] == 0 else SPENT
        if is_hopeless(rows, slot * ROW, deal) or is_tangled(rows, slot * ROW, deal):
            pass_over(front, slot)
            continue
        for move in range(FILL):
            if not is_allowed(rows, slot * ROW, move, deal):
                continue
            child = begin(front)
            if child == -2:
                return SPENT
            if child < 0:
                break
            if step(front, deal, slot, child, move, noise) and rows[child * ROW + UP] == 104:
                return WON
        close(front, slot)
    return RUNNING


@jit
def step(front: Frontier, deal: BraidContext, slot: int, child: int, move: int, noise: int) -> bool:
    """Build the child that a move leads to in slot ``child`` and return whether the position is new."""
    rows, base, at = front.rows, slot * ROW, child * ROW
    rows[at : at + ROW] = rows[base : base + ROW]
    deal.log[0] = 0
    gone = front.facts[slot] + apply(rows, at, move, deal)
    gone = (gone + settle(rows, at, deal)) & MASK
    rows[at + COST] += deal.log[0]
    if rows[at + COST] + left_of(rows, at) > deal.weights[6]:
        return cut(front)
    front.facts[child] = gone
    stage = stage_of(rows, at, deal.rounds)
    if not is_new(front, key_of(rows, at, gone, stage, deal.keys)):
        return False
    offer(front, slot, child, move, rank_of(front, stage, score_of(rows, at, deal), noise))
    return True


WEIGHTS = (10, 15, 10, 20, 5)
"""Weights in the score: a card up, a card left on the braid, an empty outer cell; then, at the end of the play-out, a
card up and a card left on the braid.
"""
WIDTH, NOISE = 80, 50
TURNS = (6_000, 2_000)
"""Turns of annealing and of this search in a team. Compiled, both take equally long."""


class BraidSearch(LoggedTries):
    """Search for a win in repeated tries.

    ``limit`` bounds the positions a try may keep; ``weights`` are the weights of the score, ``thrift`` is the cost of
    long lines.
    """

    ROW, UP = ROW, UP

    def __init__(
        self,
        start: BraidStart,
        *,
        seed: int = 0,
        limit: int = 1 << 20,
        weights: Sequence[int] = WEIGHTS,
        thrift: Thrift = NO_MATTER,
    ) -> None:
        super().__init__(seed)
        self.start, self.limit = start, limit
        self.deal = make_deal(start, [*weights, *thrift], LEFT)
        self.log = self.deal.log
        self.begin()

    def plan(self, number: int) -> TryPlan:
        width = wider(WIDTH, number)
        nodes = min(self.limit, width * 2500)
        return TryPlan(width, NOISE if number else 0, min(nodes, width * 40), nodes)

    def explore(self, plan: TryPlan, nodes: int) -> int:
        return explore(self.front, self.deal, plan.width, plan.noise, nodes)

    def load(self) -> int:
        load(self.start, self.front.rows, self.deal)
        return 0

    def make(self, move: int) -> None:
        apply(self.front.rows, 0, move, self.deal)
        self.log[0] = 0
        settle(self.front.rows, 0, self.deal)

    def written(self, move: int) -> list[str]:
        return [token(move)]
