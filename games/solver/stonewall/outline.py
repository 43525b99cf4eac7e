"""Outline of a Stonewall position, an abstraction that ignores how the runs lie.

A card that does not continue the card it lies on is *fixed*, and all cards below it are buried. A card that has moved
never becomes fixed again, because cards go only to cards that they continue, or to empty piles. The other cards of the
piles are *loose*. The outline is the number of fixed cards in each pile, the set of cards still in the reserve, and the
heights of the foundations. So positions that differ only in where loose cards lie have one outline.

``place`` finds out whether there is a place for all loose cards. A loose card lies on a card that it continues, with no
other on that card, or is the first of a pile without fixed cards. The two cards of one rank and colour can lie on the
same two cards, so counting is enough, in each of the two chains of ranks with alternating colours, from the ace up: a
card that finds no card to lie on needs a pile, and so do the kings. A loose card of the next rank is a place to lie. So
is a reserve card once it becomes loose, but then it needs a place itself. The code calls an arrangement in progress a
*way*.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from typing import NamedTuple

from games.solver.jit import jit, longs, longs_of, table_of
from games.solver.kernel_tools import MASK, Ints
from games.solver.stonewall.position import BASE, BLACK_PAIR, PILES, RED_PAIR, TOP, continues, heights

DECK = 52
ALL = (1 << DECK) - 1
HEIGHT, SUITS = 6, 36
"""The shape of an outline is one integer: the number of fixed cards of each pile, in ``HEIGHT`` bits each, and from bit
``SUITS`` on the height of each foundation, in four bits each. The reserve is a set of cards.
"""
SIZE, LOOKED, KNOWN, STUCK, TOPS, BURIED, LOOSE, KEPT, SPACES, FACTS = range(10)
"""Counters: entries of the stack, outlines looked at, verdicts known, and whether room ran out. Facts of the outline
being looked at: the topmost fixed cards, all cards below those, the loose cards, the cards in the reserve, and the
number of piles without fixed cards.
"""
VERDICTS = 1 << 17
ENTRIES, ENTRY = 1 << 12, 3
"""The most outlines on the stack, and the numbers of each: shape, reserve, and whether its moves have been listed."""
WAYS, WAY = 128, 4
"""The most unsettled arrangements, and the numbers of each; see ``place``."""
MIX = 0x1B03738712FAD5C9
RANKS = 13
PAIRS = longs_of([(BLACK_PAIR, RED_PAIR)[(chain + rank) % 2] << rank for chain in range(2) for rank in range(RANKS)])
"""The two cards of each rank and colour, in two chains; each card can lie on the two that come next."""


class Outline(NamedTuple):
    """Data of an outline search.

    For each pile its fixed cards, bottom up, and for each of these the set of the cards below; keys of outlines with a
    verdict; the stack of outlines to look at, including those in progress; unsettled arrangements; counters and facts.
    """

    fixed: Ints
    below: Ints
    known: Ints
    stack: Ints
    ways: Ints
    facts: Ints


def make_outline(pos: Ints) -> Outline:
    """Create the outline data of a position, valid for all positions that it leads to."""
    outline = Outline(
        fixed=longs(PILES * DECK), below=longs(PILES * DECK), known=table_of(VERDICTS), stack=longs(ENTRIES * ENTRY),
        ways=longs(WAYS * WAY), facts=longs(FACTS),
    )  # fmt: skip
    draw(pos, outline)
    return outline


@jit
def draw(pos: Ints, outline: Outline) -> None:
    """Record the fixed cards of each pile, and the cards below them."""
    for pile in range(PILES):
        below = 0
        card = pos[TOP + pile]
        while 0 <= card < BASE:
            below |= 1 << card
            card = pos[card]
        at = pile * DECK + fixed_cards(pos, pile)
        card = pos[TOP + pile]
        while 0 <= card < BASE:
            below ^= 1 << card
            if is_fixed(pos, card):
                at -= 1
                outline.fixed[at] = card
                outline.below[at] = below
            card = pos[card]


@jit
def is_fixed(pos: Ints, card: int) -> bool:
    """Return whether a card of a pile lies on one that it does not continue."""
    return pos[card] < BASE and not continues(pos, card)


@jit
def fixed_cards(pos: Ints, pile: int) -> int:
    """Return the number of fixed cards of a pile."""
    number = 0
    card = pos[TOP + pile]
    while 0 <= card < BASE:
        if is_fixed(pos, card):
            number += 1
        card = pos[card]
    return number


@jit
def shape_of(pos: Ints) -> int:
    """Return the shape of a position's outline."""
    shape = 0
    for pile in range(PILES):
        shape |= fixed_cards(pos, pile) << (HEIGHT * pile)
    return shape | heights(pos) << SUITS


@jit
def key_of(shape: int, kept: int) -> int:
    """Return the outline's key: 62 bits, each of which depends on all bits of the shape and the reserve."""
    key = (shape * MIX) & MASK
    key = ((key ^ key >> 31) * MIX) & MASK
    key = (key ^ key >> 29) + kept
    key = ((key ^ key >> 31) * MIX) & MASK
    key = ((key ^ key >> 27) * MIX) & MASK
    return key ^ key >> 31


@jit
def look_at(outline: Outline, shape: int, kept: int) -> None:
    """Compute the facts of an outline."""
    tops, buried, spaces, up = 0, 0, 0, 0
    for pile in range(PILES):
        height = height_of(shape, pile)
        if height == 0:
            spaces += 1
        else:
            tops |= 1 << outline.fixed[pile * DECK + height - 1]
            buried |= outline.below[pile * DECK + height - 1]
    for suit in range(4):
        up |= ((1 << found_of(shape, suit)) - 1) << (13 * suit)
    facts = outline.facts
    facts[TOPS], facts[BURIED], facts[KEPT], facts[SPACES] = tops, buried, kept, spaces
    facts[LOOSE] = ALL & ~(tops | buried | kept | up)


@jit
def height_of(shape: int, pile: int) -> int:
    """Return the number of fixed cards of a pile."""
    return shape >> (HEIGHT * pile) & 63


@jit
def found_of(shape: int, suit: int) -> int:
    """Return the height of a foundation."""
    return shape >> (SUITS + 4 * suit) & 15


@jit
def without_top(shape: int, pile: int) -> int:
    """Return the shape after the topmost fixed card of a pile has left it."""
    return shape - (1 << (HEIGHT * pile))


@jit
def with_up(shape: int, card: int) -> int:
    """Return the shape after a card, loose or from the reserve, goes up."""
    return shape + (1 << (SUITS + 4 * (card // 13)))


@jit
def push(outline: Outline, shape: int, kept: int) -> None:
    """Push an outline on the stack to be looked at later."""
    at = outline.facts[SIZE] * ENTRY
    if at == len(outline.stack):
        outline.facts[STUCK] = 1
        return
    outline.stack[at] = shape
    outline.stack[at + 1] = kept
    outline.stack[at + 2] = 0
    outline.facts[SIZE] += 1


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
