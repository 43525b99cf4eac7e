"""The Plot: beam search staged by progress, best-first within a stage, with noise that differs between tries.

Rules: ``games.rules.variants.plot``. A simpler game, in which more cards are at hand, proves most losses, at the start
or during the search (``loss_proof``).
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence

from games.solver.frontier import CUT, NODES, Frontier, begin, close, cut, is_new, offer, rank_of, take
from games.solver.jit import jit
from games.solver.kernel_tools import MASK, Ints
from games.solver.plot.loss_proof import is_hopeless
from games.solver.plot.position import (
    BUILD,
    COST,
    DRAW,
    FROM_RESERVE,
    FROM_WASTE,
    HEIGHT,
    LENGTH,
    NEXT,
    PILES,
    RESERVE,
    ROW,
    SEQ,
    TOP,
    UP,
    WASTE,
    PlotContext,
    PlotStart,
    apply,
    load,
    make_deal,
    settle,
    slot_for,
)
from games.solver.search_drivers import NO_MATTER, LoggedTries, Thrift, TryPlan
from games.solver.statuses import LOST, RUNNING, SPENT, WON

CARD_UP, IN_RESERVE, COVERING, ON_BASE, SECOND, SPACE, STARTED, TOKEN, MOST = range(9)
"""Weights in the score: a card up, a reserve card left, a waste card on a lower one, a card on a base card in a pile;
phase two, and in it a space and a started foundation; then the search's ``Thrift``.
"""


@jit
def score_of(row: Ints, base: int, weights: Ints) -> int:
    """Return the position's score by ``WEIGHTS``."""
    score = row[base + UP] * weights[CARD_UP] - row[base + RESERVE] * weights[IN_RESERVE]
    score -= row[base + COST] * weights[TOKEN]
    if row[base + WASTE] > 0:
        score -= row[base + SEQ + 2 * row[base + WASTE] - 1] * weights[COVERING]
    spaces = 0
    for pile in range(PILES):
        top = row[base + TOP + pile]
        if top < 0:
            spaces += 1
        elif top > 0 and top + row[base + LENGTH + pile] > 13:
            score -= (13 - top) * weights[ON_BASE]
    if row[base + HEIGHT] < 13:
        return score
    score += weights[SECOND] + spaces * weights[SPACE]
    for slot in range(8):
        if row[base + HEIGHT + slot] > 0:
            score += weights[STARTED]
    return score


@jit
def stage_of(row: Ints, base: int) -> int:
    """Return the progress of the game: cards drawn, cards taken off the waste, cards up. No move reduces it."""
    return 2 * row[base + NEXT] + 78 - row[base + WASTE] + row[base + UP]


@jit
def list_moves(row: Ints, base: int, deal: PlotContext) -> int:
    """Write the moves worth trying to the deal's list and return their number."""
    moves = deal.moves
    count = 0
    if row[base + RESERVE] > 0 and slot_for(row, base, deal.reserve[row[base + RESERVE] - 1]) >= 0:
        moves[count] = FROM_RESERVE
        count += 1
    for source in range(PILES):
        if row[base + TOP + source] >= 0 and not is_twin(row, base, source):
            count = list_targets(row, base, source, row[base + TOP + source], moves, count)
    if row[base + WASTE] > 0:
        card = row[base + SEQ + 2 * row[base + WASTE] - 2]
        count = list_targets(row, base, FROM_WASTE, card, moves, count)
        if card == 0 or row[base + HEIGHT] == 13:
            for target in range(PILES):
                if row[base + TOP + target] < 0:
                    moves[count] = BUILD + FROM_WASTE * PILES + target
                    count += 1
                    break
    if row[base + NEXT] < deal.size:
        moves[count] = DRAW
        count += 1
    return count


@jit
def is_twin(row: Ints, base: int, pile: int) -> bool:
    """Return whether an earlier pile has the same top and length."""
    for other in range(pile):
        if (
            row[base + TOP + other] == row[base + TOP + pile]
            and row[base + LENGTH + other] == row[base + LENGTH + pile]
        ):
            return True
    return False


@jit
def list_targets(row: Ints, base: int, source: int, card: int, moves: Ints, count: int) -> int:
    """Write a card's moves to the foundations and to piles; return the new number of moves."""
    if slot_for(row, base, card) >= 0:
        moves[count] = source
        count += 1
    if card == 0 and row[base + HEIGHT] < 13:
        return count
    onto = (card + 1) % 13
    for target in range(PILES):
        if row[base + TOP + target] == onto and not is_twin(row, base, target):
            moves[count] = BUILD + source * PILES + target
            count += 1
    return count


@jit
def explore(front: Frontier, deal: PlotContext, width: int, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions and return ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``."""
    rows, state = front.rows, front.state
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        slot = take(front, width)
        if slot < 0:
            return LOST if state[CUT] == 0 else SPENT
        count = list_moves(rows, slot * ROW, deal)
        for index in range(count):
            child = begin(front)
            if child == -2:
                return SPENT
            if child < 0:
                break
            if step(front, deal, slot, child, deal.moves[index], noise) and rows[child * ROW + UP] == 104:
                return WON
        close(front, slot)
    return RUNNING


@jit
def step(front: Frontier, deal: PlotContext, slot: int, child: int, move: int, noise: int) -> bool:
    """Build the child that a move leads to in slot ``child`` and return whether the position is new."""
    rows, base, at = front.rows, slot * ROW, child * ROW
    rows[at : at + ROW] = rows[base : base + ROW]
    deal.log[0] = 0
    key = (front.facts[slot] + apply(rows, at, move, deal)) & MASK
    key = (key + settle(rows, at, deal)) & MASK
    front.facts[child] = key
    rows[at + COST] += deal.log[0]
    if rows[at + COST] + 104 - rows[at + UP] + deal.size - rows[at + NEXT] > deal.weights[MOST]:
        return cut(front)
    if not is_new(front, key) or (rows[at + UP] > rows[base + UP] and is_hopeless(rows, at, deal)):
        return False
    stage = stage_of(rows, at)
    offer(front, slot, child, move, rank_of(front, stage, score_of(rows, at, deal.weights), noise))
    return True


WEIGHTS = (5, 72, 8, 4, 50, 8, 8)
"""Weights in the score, in the order of the names above, tuned on separate deals."""
WIDTH, THRIFTY_WIDTH, NOISE = 3, 40, 28
A_WIDTH = 3000
"""Positions that a try may keep per position of its width."""
EVERY, LEAST = 4, 2000
"""Every fourth try drops nothing while it has room, to prove a loss. It may keep a fourth of the positions looked at
before, but at least ``LEAST``.
"""


def growing(first: int, number: int, most: int) -> int:
    """Return the width of try ``number``: each try is half as wide again as the one before.

    A width above ``most`` starts again at ``first``, because a try that runs out of room early never reaches the end of
    a game.
    """
    width = first
    for _ in range(number):
        width = width * 3 // 2
        if width > most:
            width = first
    return width


class PlotSearch(LoggedTries):
    """Search for a win in repeated tries.

    ``limit`` bounds the positions a try may keep; ``weights`` are the weights of the score, ``thrift`` is the cost of
    long lines, ``width`` the width of the first try.
    """

    ROW, UP = ROW, UP

    def __init__(
        self,
        start: PlotStart,
        *,
        seed: int = 0,
        limit: int = 1 << 20,
        weights: Sequence[int] = WEIGHTS,
        thrift: Thrift = NO_MATTER,
        width: int = WIDTH,
    ) -> None:
        super().__init__(seed)
        self.start, self.limit, self.width = start, limit, width
        self.deal = make_deal(start, [*weights, *thrift])
        self.log = self.deal.log
        self.begin()
        if self.status == RUNNING and is_hopeless(self.front.rows, 0, self.deal):
            self.status = LOST

    def plan(self, number: int) -> TryPlan:
        rounds, turn = divmod(number, EVERY)
        noise = NOISE if number else 0
        if turn == EVERY - 1:
            nodes = min(self.limit, max(LEAST, self.earlier // EVERY))
            return TryPlan(nodes, noise, nodes // 4, nodes)
        width = growing(self.width, rounds * (EVERY - 1) + turn, self.limit // A_WIDTH)
        nodes = min(self.limit, width * A_WIDTH)
        return TryPlan(width, noise, min(nodes // 4, width * 40), nodes)

    def explore(self, plan: TryPlan, nodes: int) -> int:
        return explore(self.front, self.deal, plan.width, plan.noise, nodes)

    def load(self) -> int:
        return load(self.start, self.front.rows, self.deal)

    def make(self, move: int) -> None:
        apply(self.front.rows, 0, move, self.deal)
        self.log[0] = 0
        settle(self.front.rows, 0, self.deal)

    def written(self, move: int) -> list[str]:
        if move == DRAW:
            return ["d"]
        source = move if move < DRAW else (move - BUILD) // PILES
        name = {FROM_WASTE: "w", FROM_RESERVE: "r"}.get(source, f"t{source}")
        return [f"{name}-f" if move < DRAW else f"{name}-t{(move - BUILD) % PILES}"]
