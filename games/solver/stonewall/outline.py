"""Outline of a Stonewall position, an abstraction that ignores how the runs lie.

A card that does not continue the card it lies on is *fixed*, and all cards below it are buried. A card that has moved
never becomes fixed again, because cards go only to cards that they continue, or to empty piles. The other cards of the
piles are *loose*. The outline is the number of fixed cards in each pile, the set of cards still in the reserve, and the
heights of the foundations. So positions that differ only in where loose cards lie have one outline.
"""

from __future__ import annotations

from typing import NamedTuple

from games.solver.jit import jit, longs, table_of
from games.solver.kernel_tools import MASK, Ints
from games.solver.stonewall.position import BASE, FOUND, PILES, TOP, continues

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
"""The most unsettled arrangements, and the numbers of each; see ``stonewall_places``."""
MIX = 0x1B03738712FAD5C9


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
    for suit in range(4):
        shape |= pos[FOUND + suit] << (SUITS + 4 * suit)
    return shape


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
