"""The Plot: a beam search staged by stock position, best-first within a stage, with noise from try to try.

Rules: ``games.rules.plot``. Suits do not matter, so a card is its number of steps from the base rank; a pile is always
a sequence, so it is its top and its length. In phase two a card goes to its foundation at once if no card will need to
be built on it.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.frontier import CUT, NODES, Frontier, begin, close, cut, is_new, offer, rank_of, take
from games.solver.jit import jit, longs, longs_of
from games.solver.search import NO_MATTER, LoggedTries, Plan, Thrift, wider
from games.solver.states import LOST, RUNNING, SPENT, WON
from games.solver.tools import MASK, Ints, random_keys

PILES = 12
TOP, LENGTH, HEIGHT, RESERVE, WASTE, NEXT, UP, COST, SEQ = 0, 12, 24, 32, 33, 34, 35, 36, 37
ROW = SEQ + 78
"""A packed position: tops of the piles (-1 empty) and their lengths, foundation heights, reserve cards left, cards on
the waste, stock cards drawn, cards up, tokens so far, the waste from the bottom."""
FROM_WASTE, FROM_RESERVE, DRAW, BUILD = 12, 13, 14, 16
"""Moves: 0..11 play a pile's top, play waste, reserve; draw; BUILD + source * 12 + target (the waste is source 12)."""
DRAWN_KEYS, FIRST_KEYS, HEIGHT_KEYS, PILE_KEYS, WASTE_KEYS, KEYS = 20, 100, 120, 200, 1600, 2700


@dataclass(frozen=True)
class Start:
    """A position: piles as (top, length), reserve and waste from the bottom up, the stock's next card first."""

    piles: Sequence[tuple[int, int]]
    heights: Sequence[int]
    reserve: Sequence[int]
    waste: Sequence[int]
    stock: Sequence[int]


class Deal(NamedTuple):
    """What does not change during a search.

    Reserve and stock (with its size), the keys, the weights of the score, a log of moves (its length first), and room
    for a list of moves.
    """

    reserve: Ints
    stock: Ints
    size: int
    keys: Ints
    weights: Ints
    log: Ints
    moves: Ints


@jit
def slot_for(row: Ints, base: int, card: int) -> int:
    """The foundation that takes the card, or -1."""
    if row[base + HEIGHT] < 13:
        if row[base + HEIGHT] == card:
            return 0
        return -1
    for slot in range(8):
        if row[base + HEIGHT + slot] == card:
            return slot
    return -1


@jit
def lift(row: Ints, base: int, pile: int) -> int:
    """Take the top card off a pile."""
    card = row[base + TOP + pile]
    row[base + LENGTH + pile] -= 1
    if row[base + LENGTH + pile] == 0:
        row[base + TOP + pile] = -1
    else:
        row[base + TOP + pile] = (card + 1) % 13
    return card


@jit
def apply(row: Ints, base: int, move: int, deal: Deal) -> None:
    """Make a move."""
    log = deal.log
    log[0] += 1
    log[log[0]] = move
    if move == DRAW:
        row[base + SEQ + row[base + WASTE]] = deal.stock[row[base + NEXT]]
        row[base + WASTE] += 1
        row[base + NEXT] += 1
        return
    source = move
    if move >= BUILD:
        source = (move - BUILD) // PILES
    if source == FROM_RESERVE:
        row[base + RESERVE] -= 1
        card = deal.reserve[row[base + RESERVE]]
    elif source == FROM_WASTE:
        row[base + WASTE] -= 1
        card = row[base + SEQ + row[base + WASTE]]
    else:
        card = lift(row, base, source)
    if move < DRAW:
        row[base + HEIGHT + slot_for(row, base, card)] += 1
        row[base + UP] += 1
    else:
        target = (move - BUILD) % PILES
        row[base + TOP + target] = card
        row[base + LENGTH + target] += 1


@jit
def settle(row: Ints, base: int, deal: Deal) -> None:
    """In phase two, play every card of the lowest rank wanted: nothing needs to be built on it."""
    if row[base + HEIGHT] < 13:
        return
    while True:
        least = 13
        for slot in range(8):
            least = min(least, row[base + HEIGHT + slot])
        if least in (0, 13):
            return
        source = find(row, base, least, deal.reserve)
        if source < 0:
            return
        apply(row, base, source, deal)


@jit
def find(row: Ints, base: int, card: int, reserve: Ints) -> int:
    """The move that plays a card from where it is to a foundation, or -1."""
    for pile in range(PILES):
        if row[base + TOP + pile] == card:
            return pile
    if row[base + WASTE] > 0 and row[base + SEQ + row[base + WASTE] - 1] == card:
        return FROM_WASTE
    if row[base + RESERVE] > 0 and reserve[row[base + RESERVE] - 1] == card:
        return FROM_RESERVE
    return -1


@jit
def key_of(row: Ints, base: int, keys: Ints) -> int:
    """The position's key."""
    key = keys[row[base + RESERVE]] + keys[DRAWN_KEYS + row[base + NEXT]]
    key = (key + keys[FIRST_KEYS + row[base + HEIGHT]]) & MASK
    for pile in range(PILES):
        if row[base + TOP + pile] >= 0:
            key = (key + keys[PILE_KEYS + row[base + TOP + pile] * 104 + row[base + LENGTH + pile]]) & MASK
    for slot in range(1, 8):
        key = (key + keys[HEIGHT_KEYS + row[base + HEIGHT + slot]]) & MASK
    for place in range(row[base + WASTE]):
        key = (key + keys[WASTE_KEYS + place * 13 + row[base + SEQ + place]]) & MASK
    return key


@jit
def score_of(row: Ints, base: int, weights: Ints) -> int:
    """The position's score by ``WEIGHTS``."""
    score = row[base + UP] * weights[0] - row[base + RESERVE] * weights[1] - row[base + WASTE] * weights[2]
    score -= row[base + COST] * weights[6]
    spaces = 0
    for pile in range(PILES):
        if row[base + TOP + pile] < 0:
            spaces += 1
    if row[base + HEIGHT] == 13:
        return score + weights[4] + spaces * weights[5]
    return score + spaces * weights[3]


@jit
def list_moves(row: Ints, base: int, deal: Deal) -> int:
    """Write the moves worth trying to the deal's list; returns their number."""
    moves = deal.moves
    count = 0
    if row[base + RESERVE] > 0 and slot_for(row, base, deal.reserve[row[base + RESERVE] - 1]) >= 0:
        moves[count] = FROM_RESERVE
        count += 1
    for source in range(PILES):
        if row[base + TOP + source] >= 0:
            count = list_targets(row, base, source, row[base + TOP + source], moves, count)
    if row[base + WASTE] > 0:
        card = row[base + SEQ + row[base + WASTE] - 1]
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
def list_targets(row: Ints, base: int, source: int, card: int, moves: Ints, count: int) -> int:
    """Write a card's moves to the foundations and to piles; returns the new number of moves."""
    if slot_for(row, base, card) >= 0:
        moves[count] = source
        count += 1
    if card == 0 and row[base + HEIGHT] < 13:
        return count
    onto = (card + 1) % 13
    for target in range(PILES):
        if row[base + TOP + target] == onto:
            moves[count] = BUILD + source * PILES + target
            count += 1
    return count


@jit
def explore(front: Frontier, deal: Deal, width: int, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions; returns ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``."""
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
def step(front: Frontier, deal: Deal, slot: int, child: int, move: int, noise: int) -> bool:
    """Build the child that a move leads to in slot ``child``; returns whether the position is new."""
    rows, base, at = front.rows, slot * ROW, child * ROW
    rows[at : at + ROW] = rows[base : base + ROW]
    deal.log[0] = 0
    apply(rows, at, move, deal)
    settle(rows, at, deal)
    rows[at + COST] += deal.log[0]
    if rows[at + COST] + 104 - rows[at + UP] + deal.size - rows[at + NEXT] > deal.weights[7]:
        return cut(front)
    if not is_new(front, key_of(rows, at, deal.keys)):
        return False
    offer(front, slot, child, move, rank_of(front, rows[at + NEXT], score_of(rows, at, deal.weights), noise))
    return True


WEIGHTS = (5, 20, 0, 0, 50, 0)
"""Weights in the score: a card up, a reserve card left, a card on the waste, a space in phase one, phase two,
a space in phase two."""
WIDTH, NOISE = 80, 40


class PlotSearch(LoggedTries):
    """Looks for a win, try after try. ``limit`` bounds the positions a try may keep; ``weights`` are those of the
    score, ``thrift`` what it thinks of long lines.
    """

    ROW = ROW

    def __init__(
        self,
        start: Start,
        *,
        seed: int = 0,
        limit: int = 1 << 20,
        weights: Sequence[int] = WEIGHTS,
        thrift: Thrift = NO_MATTER,
    ) -> None:
        super().__init__(seed)
        self.start, self.limit = start, limit
        self.deal = Deal(
            longs_of(start.reserve), longs_of(start.stock), len(start.stock), random_keys(KEYS, 4),
            longs_of([*weights, *thrift]),
            longs(256), longs(256),
        )  # fmt: skip
        self.log = self.deal.log
        self.begin()

    def plan(self, number: int) -> Plan:
        width = wider(WIDTH, number)
        nodes = min(self.limit, width * 1000)
        return Plan(width, NOISE if number else 0, min(nodes, width * 40), nodes)

    def explore(self, plan: Plan, nodes: int) -> int:
        return explore(self.front, self.deal, plan.width, plan.noise, nodes)

    def is_won_at_once(self) -> bool:
        return bool(self.front.rows[UP] == 104)

    def load(self) -> int:
        rows, start = self.front.rows, self.start
        for pile, (top, length) in enumerate(start.piles):
            rows[TOP + pile], rows[LENGTH + pile] = top, length
        for slot, height in enumerate(start.heights):
            rows[HEIGHT + slot] = height
        rows[RESERVE], rows[WASTE], rows[NEXT] = len(start.reserve), len(start.waste), 0
        rows[UP] = sum(start.heights)
        for place, card in enumerate(start.waste):
            rows[SEQ + place] = card
        self.log[0] = 0
        settle(rows, 0, self.deal)
        rows[COST] = self.log[0]
        return 0

    def make(self, move: int) -> None:
        apply(self.front.rows, 0, move, self.deal)
        settle(self.front.rows, 0, self.deal)

    @staticmethod
    def token(move: int) -> str:
        if move == DRAW:
            return "d"
        source = move if move < DRAW else (move - BUILD) // PILES
        name = {FROM_WASTE: "w", FROM_RESERVE: "r"}.get(source, f"t{source}")
        return f"{name}-f" if move < DRAW else f"{name}-t{(move - BUILD) % PILES}"
