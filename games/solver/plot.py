"""The Plot: a beam search staged by how far the game has come, best-first within a stage, with noise from try to try.

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
ROW = SEQ + 156
"""A packed position: tops of the piles (-1 empty) and their lengths, foundation heights, reserve cards left, cards on
the waste, stock cards drawn, cards up, tokens so far, the waste from the bottom (each card, then how many up to there
lie on a lower one).
"""
FROM_WASTE, FROM_RESERVE, DRAW, BUILD = 12, 13, 14, 16
"""Moves: 0..11 play a pile's top, play waste, reserve; draw; BUILD + source * 12 + target (the waste is source 12)."""
CARD_UP, IN_RESERVE, COVERING, ON_BASE, SECOND, SPACE, STARTED, TOKEN, MOST = range(9)
"""Weights in the score: a card up, a reserve card left, a card of the waste on a lower one, a card on a base card in a
pile; phase two, in it a space and a foundation begun; then the search's ``Thrift``.
"""
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
def pile_key(row: Ints, base: int, pile: int, keys: Ints) -> int:
    """The part of the key that a pile stands for."""
    if row[base + TOP + pile] < 0:
        return 0
    return keys[PILE_KEYS + row[base + TOP + pile] * 104 + row[base + LENGTH + pile]]


@jit
def lies_ill(card: int, below: int) -> int:
    """1 if a card of the waste is in the way of the one below, which is lower but not by one, else 0."""
    return int(card > below and (below + 1) % 13 != card and (card + 1) % 13 != below)


@jit
def push_waste(row: Ints, base: int, card: int, keys: Ints) -> int:
    """Lay a card on the waste; returns the change of the key."""
    place = row[base + WASTE]
    at = base + SEQ + 2 * place
    row[at] = card
    row[at + 1] = 0
    if place > 0:
        row[at + 1] = row[at - 1] + lies_ill(card, row[at - 2])
    row[base + WASTE] += 1
    return keys[WASTE_KEYS + place * 13 + card]


@jit
def apply(row: Ints, base: int, move: int, deal: Deal) -> int:
    """Make a move; returns the change of the key."""
    log, keys = deal.log, deal.keys
    log[0] += 1
    log[log[0]] = move
    if move == DRAW:
        drawn = row[base + NEXT]
        row[base + NEXT] += 1
        change = push_waste(row, base, deal.stock[drawn], keys)
        return (change + keys[DRAWN_KEYS + drawn + 1] - keys[DRAWN_KEYS + drawn]) & MASK
    source = move
    if move >= BUILD:
        source = (move - BUILD) // PILES
    if source == FROM_RESERVE:
        left = row[base + RESERVE] - 1
        row[base + RESERVE] = left
        card = deal.reserve[left]
        change = keys[left] - keys[left + 1]
    elif source == FROM_WASTE:
        row[base + WASTE] -= 1
        card = row[base + SEQ + 2 * row[base + WASTE]]
        change = -keys[WASTE_KEYS + row[base + WASTE] * 13 + card]
    else:
        card = row[base + TOP + source]
        change = -pile_key(row, base, source, keys)
        row[base + LENGTH + source] -= 1
        row[base + TOP + source] = -1 if row[base + LENGTH + source] == 0 else (card + 1) % 13
        change += pile_key(row, base, source, keys)
    if move < DRAW:
        slot = slot_for(row, base, card)
        first = HEIGHT_KEYS if slot > 0 else FIRST_KEYS
        row[base + HEIGHT + slot] += 1
        row[base + UP] += 1
        return (change + keys[first + card + 1] - keys[first + card]) & MASK
    target = (move - BUILD) % PILES
    change = (change - pile_key(row, base, target, keys)) & MASK
    row[base + TOP + target] = card
    row[base + LENGTH + target] += 1
    return (change + pile_key(row, base, target, keys)) & MASK


@jit
def settle(row: Ints, base: int, deal: Deal) -> int:
    """In phase two, play every card of the lowest rank wanted: nothing needs to be built on it. Returns the key's
    change.
    """
    change = 0
    while row[base + HEIGHT] == 13:
        least = 13
        for slot in range(8):
            least = min(least, row[base + HEIGHT + slot])
        if least in (0, 13):
            break
        source = find(row, base, least, deal.reserve)
        if source < 0:
            break
        change = (change + apply(row, base, source, deal)) & MASK
    return change


@jit
def find(row: Ints, base: int, card: int, reserve: Ints) -> int:
    """The move that plays a card from where it is to a foundation, or -1."""
    for pile in range(PILES):
        if row[base + TOP + pile] == card:
            return pile
    if row[base + WASTE] > 0 and row[base + SEQ + 2 * row[base + WASTE] - 2] == card:
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
        key = (key + pile_key(row, base, pile, keys)) & MASK
    for slot in range(1, 8):
        key = (key + keys[HEIGHT_KEYS + row[base + HEIGHT + slot]]) & MASK
    for place in range(row[base + WASTE]):
        key = (key + keys[WASTE_KEYS + place * 13 + row[base + SEQ + 2 * place]]) & MASK
    return key


@jit
def score_of(row: Ints, base: int, weights: Ints) -> int:
    """The position's score by ``WEIGHTS``."""
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
    """How far the game has come: cards drawn, cards taken off the waste, cards up. No move leads back."""
    return 2 * row[base + NEXT] + 78 - row[base + WASTE] + row[base + UP]


@jit
def list_moves(row: Ints, base: int, deal: Deal) -> int:
    """Write the moves worth trying to the deal's list; returns their number."""
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
    """Whether an earlier pile is the same."""
    for other in range(pile):
        if (
            row[base + TOP + other] == row[base + TOP + pile]
            and row[base + LENGTH + other] == row[base + LENGTH + pile]
        ):
            return True
    return False


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
        if row[base + TOP + target] == onto and not is_twin(row, base, target):
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
    key = (front.facts[slot] + apply(rows, at, move, deal)) & MASK
    key = (key + settle(rows, at, deal)) & MASK
    front.facts[child] = key
    rows[at + COST] += deal.log[0]
    if rows[at + COST] + 104 - rows[at + UP] + deal.size - rows[at + NEXT] > deal.weights[MOST]:
        return cut(front)
    if not is_new(front, key):
        return False
    stage = stage_of(rows, at)
    offer(front, slot, child, move, rank_of(front, stage, score_of(rows, at, deal.weights), noise))
    return True


WEIGHTS = (5, 72, 8, 4, 50, 8, 8)
"""Weights in the score, by the names above, learnt on deals of their own."""
WIDTH, THRIFTY_WIDTH, NOISE = 3, 40, 28
EVERY, LEAST = 4, 2000
"""Every fourth try drops nothing as long as it has room, to prove a loss: so many positions at least, or a fourth of
those looked at before.
"""


class PlotSearch(LoggedTries):
    """Looks for a win, try after try. ``limit`` bounds the positions a try may keep; ``weights`` are those of the
    score, ``thrift`` what it thinks of long lines, ``width`` that of the first try.
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
        width: int = WIDTH,
    ) -> None:
        super().__init__(seed)
        self.start, self.limit, self.width = start, limit, width
        self.deal = Deal(
            longs_of(start.reserve), longs_of(start.stock), len(start.stock), random_keys(KEYS, 4),
            longs_of([*weights, *thrift]),
            longs(256), longs(256),
        )  # fmt: skip
        self.log = self.deal.log
        self.begin()

    def plan(self, number: int) -> Plan:
        rounds, turn = divmod(number, EVERY)
        noise = NOISE if number else 0
        if turn == EVERY - 1:
            nodes = min(self.limit, max(LEAST, self.earlier // EVERY))
            return Plan(nodes, noise, nodes // 4, nodes)
        width = wider(self.width, rounds * (EVERY - 1) + turn)
        nodes = min(self.limit, width * 3000)
        return Plan(width, noise, min(nodes // 4, width * 40), nodes)

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
        rows[RESERVE], rows[NEXT] = len(start.reserve), 0
        rows[UP] = sum(start.heights)
        rows[WASTE] = 0
        for card in start.waste:
            push_waste(rows, 0, card, self.deal.keys)
        self.log[0] = 0
        settle(rows, 0, self.deal)
        rows[COST] = self.log[0]
        return key_of(rows, 0, self.deal.keys)

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
