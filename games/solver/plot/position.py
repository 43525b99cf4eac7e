"""Packed position of The Plot: layout, moves and key.

Suits do not matter, so a card is its number of steps from the base rank. A pile is always a sequence, so its top and
its length describe it. In phase two a card goes to its foundation at once if no card will need to be built on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, longs_of
from games.solver.kernel_tools import MASK, Ints, random_keys

PILES = 12
TOP, LENGTH, HEIGHT, RESERVE, WASTE, NEXT, UP, COST, SEQ = 0, 12, 24, 32, 33, 34, 35, 36, 37
ROW = SEQ + 156
"""A packed position: tops of the piles (-1 empty) and their lengths, foundation heights, reserve cards left, cards on
the waste, stock cards drawn, cards up, tokens so far, the waste from the bottom (each card, then how many up to there
lie on a lower one).
"""
FROM_WASTE, FROM_RESERVE, DRAW, BUILD = 12, 13, 14, 16
"""Moves: 0..11 play a pile's top, play waste, reserve; draw; BUILD + source * 12 + target (the waste is source 12)."""
ROOM = 32
"""Size of the scratch space that a proof of a loss needs for one position."""
DRAWN_KEYS, FIRST_KEYS, HEIGHT_KEYS, PILE_KEYS, WASTE_KEYS, KEYS = 20, 100, 120, 200, 1600, 2700


@dataclass(frozen=True)
class PlotStart:
    """A position: piles as (top, length), reserve and waste from the bottom up, the stock's next card first."""

    piles: Sequence[tuple[int, int]]
    heights: Sequence[int]
    reserve: Sequence[int]
    waste: Sequence[int]
    stock: Sequence[int]


class PlotContext(NamedTuple):
    """Constants and buffers of a search.

    Reserve and stock (with its size), the keys, the weights of the score, a log of moves (its length first), a list of
    moves, and scratch space for one position (``room``).
    """

    reserve: Ints
    stock: Ints
    size: int
    keys: Ints
    weights: Ints
    log: Ints
    moves: Ints
    room: Ints


def make_deal(start: PlotStart, weights: Sequence[int]) -> PlotContext:
    """Create the deal of a position."""
    return PlotContext(
        reserve=longs_of(start.reserve), stock=longs_of(start.stock), size=len(start.stock), keys=random_keys(KEYS, 4),
        weights=longs_of(weights), log=longs(256), moves=longs(256), room=longs(ROOM),
    )  # fmt: skip


def load(start: PlotStart, row: Ints, deal: PlotContext) -> int:
    """Write a position to the beginning of ``row``, make the moves that cost nothing, and return its key."""
    for pile, (top, length) in enumerate(start.piles):
        row[TOP + pile], row[LENGTH + pile] = top, length
    for slot, height in enumerate(start.heights):
        row[HEIGHT + slot] = height
    row[RESERVE], row[NEXT] = len(start.reserve), 0
    row[UP] = sum(start.heights)
    row[WASTE] = 0
    for card in start.waste:
        push_waste(row, 0, card, deal.keys)
    deal.log[0] = 0
    settle(row, 0, deal)
    row[COST] = deal.log[0]
    return key_of(row, 0, deal.keys)


@jit
def slot_for(row: Ints, base: int, card: int) -> int:
    """Return the foundation that takes the card, or -1."""
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
    """Return a pile's part of the key."""
    if row[base + TOP + pile] < 0:
        return 0
    return keys[PILE_KEYS + row[base + TOP + pile] * 104 + row[base + LENGTH + pile]]


@jit
def lies_ill(card: int, below: int) -> int:
    """Return 1 if a card of the waste is in the way of the one below, which is lower but not by one, else 0."""
    return int(card > below and (below + 1) % 13 != card and (card + 1) % 13 != below)


@jit
def push_waste(row: Ints, base: int, card: int, keys: Ints) -> int:
    """Lay a card on the waste and return the change in the key."""
    place = row[base + WASTE]
    at = base + SEQ + 2 * place
    row[at] = card
    row[at + 1] = 0
    if place > 0:
        row[at + 1] = row[at - 1] + lies_ill(card, row[at - 2])
    row[base + WASTE] += 1
    return keys[WASTE_KEYS + place * 13 + card]


@jit
def apply(row: Ints, base: int, move: int, deal: PlotContext) -> int:
    """Make a move and return the change in the key."""
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
def settle(row: Ints, base: int, deal: PlotContext) -> int:
    """In phase two, play every card of the lowest rank wanted, on which nothing needs to be built.

    Return the change in the key.
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
    """Return the move that plays a card from where it is to a foundation, or -1."""
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
    """Return the position's key."""
    key = keys[row[base + RESERVE]] + keys[DRAWN_KEYS + row[base + NEXT]]
    key = (key + keys[FIRST_KEYS + row[base + HEIGHT]]) & MASK
    for pile in range(PILES):
        key = (key + pile_key(row, base, pile, keys)) & MASK
    for slot in range(1, 8):
        key = (key + keys[HEIGHT_KEYS + row[base + HEIGHT + slot]]) & MASK
    for place in range(row[base + WASTE]):
        key = (key + keys[WASTE_KEYS + place * 13 + row[base + SEQ + 2 * place]]) & MASK
    return key
