"""Packed position of Braid: layout, moves and key.

Cards are counted from the base rank in the building direction: suit * 13 + steps from the base. A play to a foundation
is free, and is made at once, if it can do no harm: the other copy of the card is up, or both foundations of the suit
wait for it. An empty inner cell is filled from the braid at once, since waiting gains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, longs_of
from games.solver.kernel_tools import MASK, Ints, random_keys

INNER, CELLS = 4, 12
FOUND, BRAID, WASTE, NEXT, END, ROUNDS, UP, COST, SEQ = 12, 20, 21, 22, 23, 24, 25, 26, 27
ROW = SEQ + 72
"""A packed position: cells (-1 empty), two foundation heights a suit (higher, lower), braid cards left, the stock and
waste as one sequence of card numbers (waste at 0..WASTE, stock at NEXT..END), redeals left, cards up, tokens so far."""
FROM_WASTE, FROM_BRAID, PARK, DRAW, ROUND, FILL = 12, 13, 14, 26, 27, 28
"""Moves: 0..11 play a cell; play waste, braid; put the waste's top into cell m - PARK; draw; redeal; (in logs) fill."""
BRAID_KEYS, STAGE_KEYS, CELL_KEYS, OUTER_KEYS, KEYS = 80, 110, 500, 600, 700
ROOM = 480
"""Size of the scratch space that a play-out or a proof of a loss needs for one position."""
CARDS, HOLDS = 72, 288
"""Choices of a play-out: one for each round and each card of waste and stock by number, then one for each card: whether
an outer cell holds it until its twin is up.
"""
RULE, PARKED, LEFT, KEPT = range(4)
"""Choices for a card of the waste that can't go up: park it if it seems to go up in the same round; park it; leave it.
``KEPT`` keeps a card that could go up from doing so.
"""


@dataclass(frozen=True)
class BraidStart:
    """A position: braid and waste from the bottom up, the stock's next card first."""

    cells: Sequence[int]
    found: Sequence[int]
    braid: Sequence[int]
    waste: Sequence[int]
    stock: Sequence[int]
    rounds: int


class BraidContext(NamedTuple):
    """Constants and buffers of a search.

    The cards of waste and stock by number, the braid, the redeals left at the start, the keys, the weights of the
    score, a log of moves (its length first), scratch space for one position (``room``), and for the positions of the
    simpler game that proves losses. For a play-out: the choices, and the places where one came up (their number first).
    """

    cards: Ints
    braid: Ints
    rounds: int
    keys: Ints
    weights: Ints
    log: Ints
    room: Ints
    states: Ints
    seen: Ints
    choices: Ints
    asked: Ints


def make_deal(start: BraidStart, weights: Sequence[int], choice: int) -> BraidContext:
    """Create the deal of a position, with the same choice for each card of the waste."""
    return BraidContext(
        cards=longs_of([*start.waste, *start.stock]), braid=longs_of(start.braid), rounds=start.rounds,
        keys=random_keys(KEYS, 3), weights=longs_of(weights), log=longs(256), room=longs(ROOM), states=longs(1 << 12),
        seen=longs(1 << 11), choices=longs_of([choice] * HOLDS + [0] * 52), asked=longs(800),
    )  # fmt: skip


def load(start: BraidStart, row: Ints, deal: BraidContext) -> None:
    """Write a position to the beginning of ``row``, and make the moves that cost nothing."""
    for cell, kind in enumerate(start.cells):
        row[cell] = kind
    for slot, height in enumerate(start.found):
        row[FOUND + slot] = height
    row[BRAID], row[ROUNDS], row[UP] = len(start.braid), start.rounds, sum(start.found)
    waste = len(start.waste)
    row[WASTE], row[NEXT], row[END] = waste, waste, waste + len(start.stock)
    for place in range(waste + len(start.stock)):
        row[SEQ + place] = place
    deal.log[0] = 0
    settle(row, 0, deal)
    row[COST] = deal.log[0]


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
    """Return whether a card can go to a foundation without doing harm."""
    return row[base + FOUND + (kind // 13) * 2 + 1] == kind % 13


@jit
def fits(row: Ints, base: int, kind: int) -> bool:
    """Return whether a foundation takes the card."""
    slot = base + FOUND + (kind // 13) * 2
    return row[slot] == kind % 13 or row[slot + 1] == kind % 13


@jit
def apply(row: Ints, base: int, move: int, deal: BraidContext) -> int:
    """Make a move and return the change in the key of the cards taken from the stock."""
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
def settle(row: Ints, base: int, deal: BraidContext) -> int:
    """Make the free plays, fill inner cells, and return the change in the key of the cards taken from the stock."""
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
def fill(row: Ints, base: int, deal: BraidContext) -> bool:
    """Fill an empty inner cell from the braid and return whether there was one."""
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
    """Return the position's key. Inner and outer cells differ only while the braid lasts."""
    key = (gone + keys[BRAID_KEYS + row[base + BRAID]] + keys[STAGE_KEYS + stage]) & MASK
    split = INNER if row[base + BRAID] > 0 else CELLS
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0:
            first = CELL_KEYS if cell < split else OUTER_KEYS
            key = (key + keys[first + kind]) & MASK
    return key


def token(move: int) -> str:
    """Return a move as a token of the rules."""
    if move < CELLS:
        return f"t{move}-f"
    if move >= FILL:
        return f"r-t{move - FILL}"
    return {FROM_WASTE: "w-f", FROM_BRAID: "r-f", DRAW: "d", ROUND: "n"}.get(move, f"w-t{move - PARK}")
