"""Braid: a beam search staged by stock position, best-first within a stage, with noise and growing width from try to
try.

Rules: ``games.rules.braid``. Cards are counted from the base rank in the building direction: suit * 13 + steps from the
base. A play to a foundation is free, and made at once, if it can do no harm: the other copy of the card is up, or both
foundations of the suit wait for it. An empty inner cell is filled from the braid at once, since waiting gains nothing.
A simpler game, in which stock, waste and outer cells are always at hand, proves many losses before any search.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.frontier import CUT, NODES, Frontier, begin, close, is_new, offer, rank_of, take
from games.solver.jit import jit, longs, longs_of
from games.solver.search import LoggedTries, Plan, wider
from games.solver.states import LOST, RUNNING, SPENT, WON
from games.solver.tools import MASK, Ints, random_keys

INNER, CELLS = 4, 12
FOUND, BRAID, WASTE, NEXT, END, ROUNDS, UP, SEQ = 12, 20, 21, 22, 23, 24, 25, 26
ROW = SEQ + 72
"""A packed position: cells (-1 empty), two foundation heights a suit (higher, lower), braid cards left, the stock and
waste as one sequence of card numbers (waste at 0..WASTE, stock at NEXT..END), redeals left, cards up."""
FROM_WASTE, FROM_BRAID, PARK, DRAW, ROUND, FILL = 12, 13, 14, 26, 27, 28
"""Moves: 0..11 play a cell; play waste, braid; put the waste's top into cell m - PARK; draw; redeal; (in logs) fill."""
STAGES = 74
BRAID_KEYS, STAGE_KEYS, CELL_KEYS, OUTER_KEYS, KEYS = 80, 110, 500, 600, 700


@dataclass(frozen=True)
class Start:
    """A position: braid and waste from the bottom up, the stock's next card first."""

    cells: Sequence[int]
    found: Sequence[int]
    braid: Sequence[int]
    waste: Sequence[int]
    stock: Sequence[int]
    rounds: int


class Deal(NamedTuple):
    """What does not change during a search.

    The cards of waste and stock by number, the braid, the redeals left at the start, the keys, the weights of the
    score, and a log of moves (its length first).
    """

    cards: Ints
    braid: Ints
    rounds: int
    keys: Ints
    weights: Ints
    log: Ints


@jit
def raise_card(row: Ints, base: int, kind: int) -> None:
    """Put a card on the foundation that takes it."""
    slot = base + FOUND + (kind // 13) * 2
    if row[slot + 1] == kind % 13:
        if row[slot] == row[slot + 1]:
            row[slot] += 1
        else:
            row[slot + 1] += 1
    else:
        row[slot] += 1
    row[base + UP] += 1


@jit
def is_free(row: Ints, base: int, kind: int) -> bool:
    """Whether a card can go to a foundation, and can do no harm there."""
    return row[base + FOUND + (kind // 13) * 2 + 1] == kind % 13


@jit
def fits(row: Ints, base: int, kind: int) -> bool:
    """Whether a foundation takes the card."""
    slot = base + FOUND + (kind // 13) * 2
    return row[slot] == kind % 13 or row[slot + 1] == kind % 13


@jit
def apply(row: Ints, base: int, move: int, deal: Deal) -> int:
    """Make a move; returns the change in the key of the cards gone from the stock."""
    log = deal.log
    log[0] += 1
    log[log[0]] = move
    if move < CELLS:
        raise_card(row, base, row[base + move])
        row[base + move] = -1
        return 0
    if move == DRAW:
        row[base + SEQ + row[base + WASTE]] = row[base + SEQ + row[base + NEXT]]
        row[base + WASTE] += 1
        row[base + NEXT] += 1
        return 0
    if move == ROUND:
        row[base + END] = row[base + WASTE]
        row[base + WASTE] = 0
        row[base + NEXT] = 0
        row[base + ROUNDS] -= 1
        return 0
    if move == FROM_BRAID:
        row[base + BRAID] -= 1
        raise_card(row, base, deal.braid[row[base + BRAID]])
        return 0
    row[base + WASTE] -= 1
    card = row[base + SEQ + row[base + WASTE]]
    if move == FROM_WASTE:
        raise_card(row, base, deal.cards[card])
    else:
        row[base + move - PARK] = deal.cards[card]
    return deal.keys[card]


@jit
def settle(row: Ints, base: int, deal: Deal) -> int:
    """Make the free plays and fill inner cells; returns the change in the key of the cards gone from the stock."""
    change = 0
    while True:
        busy = False
        for cell in range(CELLS):
            kind = row[base + cell]
            if kind >= 0 and is_free(row, base, kind):
                apply(row, base, cell, deal)
                busy = True
        while row[base + WASTE] > 0 and is_free(row, base, deal.cards[row[base + SEQ + row[base + WASTE] - 1]]):
            change += apply(row, base, FROM_WASTE, deal)
            busy = True
        while row[base + BRAID] > 0 and is_free(row, base, deal.braid[row[base + BRAID] - 1]):
            apply(row, base, FROM_BRAID, deal)
            busy = True
        if not busy and not fill(row, base, deal):
            return change


@jit
def fill(row: Ints, base: int, deal: Deal) -> bool:
    """Fill an empty inner cell from the braid; returns whether there was one."""
    if row[base + BRAID] > 0:
        for cell in range(INNER):
            if row[base + cell] < 0:
                row[base + BRAID] -= 1
                row[base + cell] = deal.braid[row[base + BRAID]]
                deal.log[0] += 1
                deal.log[deal.log[0]] = FILL + cell
                return True
    return False


@jit
def key_of(row: Ints, base: int, gone: int, stage: int, keys: Ints) -> int:
    """The position's key. Inner and outer cells differ only while the braid lasts."""
    key = (gone + keys[BRAID_KEYS + row[base + BRAID]] + keys[STAGE_KEYS + stage]) & MASK
    split = INNER if row[base + BRAID] > 0 else CELLS
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0:
            first = CELL_KEYS if cell < split else OUTER_KEYS
            key = (key + keys[first + kind]) & MASK
    return key


@jit
def stage_of(row: Ints, base: int, rounds: int) -> int:
    """The position's stage: the pass through the stock, then the next stock card."""
    card = STAGES - 1
    if row[base + NEXT] < row[base + END]:
        card = row[base + SEQ + row[base + NEXT]]
    return (rounds - row[base + ROUNDS]) * STAGES + card


@jit
def score_of(row: Ints, base: int, weights: Ints) -> int:
    """The position's score by ``WEIGHTS``."""
    score = row[base + UP] * weights[0] - row[base + BRAID] * weights[1]
    for cell in range(INNER, CELLS):
        if row[base + cell] < 0:
            score += weights[2]
    for suit in range(4):
        score += row[base + FOUND + 2 * suit + 1] * weights[3]
    return score


@jit
def is_allowed(row: Ints, base: int, move: int, deal: Deal) -> bool:
    """Whether a move is legal and worth trying."""
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
def explore(front: Frontier, deal: Deal, width: int, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions; returns ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``."""
    rows, state = front.rows, front.state
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        slot = take(front, width)
        if slot < 0:
            return LOST if state[CUT] == 0 else SPENT
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
def step(front: Frontier, deal: Deal, slot: int, child: int, move: int, noise: int) -> bool:
    """Build the child that a move leads to in slot ``child``; returns whether the position is new."""
    rows, base, at = front.rows, slot * ROW, child * ROW
    rows[at : at + ROW] = rows[base : base + ROW]
    deal.log[0] = 0
    gone = front.facts[slot] + apply(rows, at, move, deal)
    gone = (gone + settle(rows, at, deal)) & MASK
    front.facts[child] = gone
    stage = stage_of(rows, at, deal.rounds)
    if not is_new(front, key_of(rows, at, gone, stage, deal.keys)):
        return False
    offer(front, slot, child, move, rank_of(front, stage, score_of(rows, at, deal.weights), noise))
    return True


def is_hopeless(start: Start) -> bool:
    """Whether the game is lost even with stock, waste and outer cells always at hand."""
    left, inner = list(start.braid), [kind for kind in start.cells[:INNER] if kind >= 0]
    used = [sum(height > kind % 13 for height in start.found[kind // 13 * 2 :][:2]) for kind in range(52)]
    while left:
        room = _places(left[:-1])
        leaving = next((kind for kind in [left[-1], *inner] if used[kind] < room[kind]), None)
        if leaving is not None:
            used[leaving] += 1
            if leaving == left[-1]:
                left.pop()
            else:
                inner.remove(leaving)
        elif len(inner) == INNER:
            return True
        else:
            inner.append(left.pop())
    return False


def _places(buried: Sequence[int]) -> list[int]:
    """For each card, how many copies can reach the foundations while the buried cards stay where they are."""
    places = [0] * 52
    for suit in range(4):
        for copies in (1, 2):
            for kind in range(suit * 13, suit * 13 + 13):
                if 2 - buried.count(kind) < copies:
                    break
                places[kind] += 1
    return places


WEIGHTS = (10, 15, 0, 0)
"""Weights in the score: a card up, a card left on the braid, an empty outer cell, a suit's lower foundation."""
WIDTH, NOISE = 80, 120


class BraidSearch(LoggedTries):
    """Looks for a win, try after try. ``limit`` bounds the positions a try may keep; ``weights`` are those of the
    score.
    """

    ROW = ROW

    def __init__(self, start: Start, *, seed: int = 0, limit: int = 1 << 20, weights: Sequence[int] = WEIGHTS) -> None:
        super().__init__(seed)
        self.start, self.limit = start, limit
        self.deal = Deal(
            longs_of([*start.waste, *start.stock]), longs_of(start.braid), start.rounds, random_keys(KEYS, 3),
            longs_of(weights), longs(256),
        )  # fmt: skip
        self.log = self.deal.log
        self.begin()
        if is_hopeless(start):
            self.status = LOST

    def plan(self, number: int) -> Plan:
        width = wider(WIDTH, number)
        nodes = min(self.limit, width * 2500)
        return Plan(width, NOISE if number else 0, min(nodes, width * 40), nodes)

    def explore(self, plan: Plan, nodes: int) -> int:
        return explore(self.front, self.deal, plan.width, plan.noise, nodes)

    def is_won_at_once(self) -> bool:
        return bool(self.front.rows[UP] == 104)

    def load(self) -> int:
        rows, start = self.front.rows, self.start
        for cell, kind in enumerate(start.cells):
            rows[cell] = kind
        for slot, height in enumerate(start.found):
            rows[FOUND + slot] = height
        rows[BRAID], rows[ROUNDS], rows[UP] = len(start.braid), start.rounds, sum(start.found)
        waste = len(start.waste)
        rows[WASTE], rows[NEXT], rows[END] = waste, waste, waste + len(start.stock)
        for place in range(waste + len(start.stock)):
            rows[SEQ + place] = place
        self.log[0] = 0
        settle(rows, 0, self.deal)
        return 0

    def make(self, move: int) -> None:
        apply(self.front.rows, 0, move, self.deal)
        settle(self.front.rows, 0, self.deal)

    @staticmethod
    def token(move: int) -> str:
        if move < CELLS:
            return f"t{move}-f"
        if move >= FILL:
            return f"r-t{move - FILL}"
        return {FROM_WASTE: "w-f", FROM_BRAID: "r-f", DRAW: "d", ROUND: "n"}.get(move, f"w-t{move - PARK}")
