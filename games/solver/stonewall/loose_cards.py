"""Arrangements of Stonewall's loose cards: is there a place for all of them? See ``stonewall_outline``.

A card lies on a card that it continues, with no other on that card, or is the first of a pile without fixed cards. The
two cards of one rank and colour can lie on the same two cards, so counting is enough, in each of the two chains of
ranks with alternating colours, from the ace up: a card that finds no card to lie on needs a pile, and so do the kings.
A loose card of the next rank is a place to lie. So is a reserve card once it becomes loose, but then it needs a place
itself. The code calls an arrangement in progress a *way*.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from games.solver.jit import jit, longs_of
from games.solver.stonewall.outline import KEPT, LOOSE, SPACES, TOPS, WAY, Outline, push
from games.solver.stonewall.position import BLACK_PAIR, RED_PAIR

RANKS = 13
PAIRS = longs_of([(BLACK_PAIR, RED_PAIR)[(chain + rank) % 2] << rank for chain in range(2) for rank in range(RANKS)])
"""The two cards of each rank and colour, in two chains; each card can lie on the two that come next."""


@jit
def place(outline: Outline, joining: int, bare: int, shape: int) -> None:
    """Push the shape with the remaining reserve, once for each smallest set of reserve cards to loosen.

    A set is enough if it gives all loose cards a place. If there is no arrangement, nothing is pushed. ``joining`` are
    cards that become loose, ``bare`` are those on which nothing may lie.
    """
    facts = outline.facts
    loose = facts[LOOSE] | joining
    takers = (loose | facts[TOPS]) & ~bare
    size = add_way(outline, 0, 0, 0, facts[SPACES], facts[KEPT])
    while size > 0:
        size = climb(outline, size - 1, loose, takers, shape)


@jit
def add_way(outline: Outline, size: int, settled: int, need: int, spaces: int, kept: int) -> int:
    """Add a way and return the number of ways.

    A way is the number of pairs settled, how many cards of the last pair need a place, and the free piles and the
    reserve that are left.
    """
    at = size * WAY
    outline.ways[at] = settled
    outline.ways[at + 1] = need
    outline.ways[at + 2] = spaces
    outline.ways[at + 3] = kept
    return size + 1


@jit
def climb(outline: Outline, size: int, loose: int, takers: int, shape: int) -> int:
    """Settle way number ``size``, up to where reserve cards may help, and return the number of ways."""
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
    """Add the ways in which ``lack`` cards get a place, on reserve cards of the pair settled last or in piles.

    Return the number of ways.
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
    """Return the number of cards in a set of at most two."""
    if cards == 0:
        return 0
    return 1 if cards & (cards - 1) == 0 else 2
