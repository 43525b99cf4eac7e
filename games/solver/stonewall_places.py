"""Stonewall: whether there is a way for all loose cards to lie; see ``stonewall_outline``.

A card lies on a card that it continues, with no other on that card, or is the first of a pile without fixed cards. The
two cards of one rank and colour can lie on the same two cards, so it is enough to count, in each of the two chains of
ranks with alternating colours, from its ace up: who finds no card to lie on needs a pile, and so do the kings. A loose
card of the next rank is there to lie on. A reserve card is when it becomes loose, and then it needs a place itself.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from games.solver.jit import jit, longs_of
from games.solver.stonewall_outline import KEPT, LOOSE, SPACES, TOPS, WAY, Outline, push
from games.solver.stonewall_position import BLACK_PAIR, RED_PAIR

RANKS = 13
PAIRS = longs_of([(BLACK_PAIR, RED_PAIR)[(chain + rank) % 2] << rank for chain in range(2) for rank in range(RANKS)])
"""The two cards of each rank and colour: two chains, each card of which can lie on the two that come next."""


@jit
def place(outline: Outline, joining: int, bare: int, shape: int) -> None:
    """Put the shape on the stack with what is left of the reserve: once for each smallest set of reserve cards that,
    when they become loose, give all loose cards a place. Never when there is no way to lie.

    ``joining`` are cards that become loose, ``bare`` those on which nothing may lie.
    """
    facts = outline.facts
    loose = facts[LOOSE] | joining
    takers = (loose | facts[TOPS]) & ~bare
    size = add_way(outline, 0, 0, 0, facts[SPACES], facts[KEPT])
    while size > 0:
        size = climb(outline, size - 1, loose, takers, shape)


@jit
def add_way(outline: Outline, size: int, settled: int, need: int, spaces: int, kept: int) -> int:
    """Note a way to lie: how many pairs are settled, how many cards of the last need a place, and the free piles and
    the reserve that are left. Returns the number of ways noted.
    """
    at = size * WAY
    outline.ways[at] = settled
    outline.ways[at + 1] = need
    outline.ways[at + 2] = spaces
    outline.ways[at + 3] = kept
    return size + 1


@jit
def climb(outline: Outline, size: int, loose: int, takers: int, shape: int) -> int:
    """Settle way number ``size``, up to where reserve cards may help; returns the number of ways noted."""
    at = size * WAY
    settled, need = outline.ways[at], outline.ways[at + 1]
    spaces, kept = outline.ways[at + 2], outline.ways[at + 3]
    while settled < len(PAIRS):
        if settled == RANKS:
            spaces -= need
            need = 0
        if spaces < 0:
            return size
        pair = PAIRS[settled]
        lack = need - count(takers & pair)
        need = count(loose & pair)
        settled += 1
        if lack > 0:
            if kept & pair != 0:
                return branch(outline, size, settled, need, lack, spaces, kept)
            spaces -= lack
    if spaces >= need:
        push(outline, shape, kept)
    return size


@jit
def branch(outline: Outline, size: int, settled: int, need: int, lack: int, spaces: int, kept: int) -> int:
    """Note the ways in which as many cards as ``lack`` get a place, on reserve cards of the pair settled last or in
    piles; returns the number of ways noted.
    """
    here = kept & PAIRS[settled - 1]
    low = here & -here
    for option in range(2 if here == low else 4):
        cards = (low if option & 1 == 1 else 0) | (here ^ low if option & 2 == 2 else 0)
        number = count(cards)
        if number <= lack <= spaces + number:
            size = add_way(outline, size, settled, need + number, spaces - lack + number, kept & ~cards)
    return size


@jit
def count(cards: int) -> int:
    """The number of cards in a set of at most two."""
    if cards == 0:
        return 0
    return 1 if cards & (cards - 1) == 0 else 2
