"""Estimate of how far the cards of a Tarot position are from going up, by a simpler game in which more is possible.

In the simpler game a card that has once been bare stays open: it takes any number of cards, a card that has left its
place is still available to others there, and a space stays a space. A card leaves its place once it is bare, or turned
up, and an open card takes it, unless it is a king or the World at the bottom of a pile. The other kings and the World
leave once there has been a space. A card also leaves once it has been bare and all lower cards of its suit are up.
Stock cards become available as cards before and behind them leave (``reach``).

What cannot happen there cannot happen in the real game: by induction over its moves, every card that is bare in the
real game is open in the simpler one. A run that moves goes on an open card or into a space, so its lowest card leaves
its place here too, and the card it lay on opens; the card it lies on now was open before. A card that goes up has been
bare, and all lower ones of its suit are up here too. A stock card that is played was available here, because of the
cards that had left the stock before. So if the simpler game can't be won, the position is lost.

The simpler game is played in rounds; in each round, every card that can leave does. The sum, over the cards, of the
rounds in which they go up measures how tangled a position is.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints
from games.solver.tarot.position import (  # fmt: skip
    ALIKE,
    BASE,
    CARDS,
    DOWN,
    FAMILIES,
    FOOL,
    GONE,
    KINDS,
    KING,
    LEFT,
    NEXT,
    PILES,
    SEQ,
    STOCK,
    TOP,
    VALUES,
    WASTE,
    is_fixed,
    last_of,
)

OPEN, PLACED, GONE_FROM, AT_HAND = 1, 2, 4, 8
"""Flags of a card in the simpler game: it has been bare; something takes it; it has left its place; it was in the
stock, and has been on top of the waste.
"""
OPENED, PLACES, WANTED, SPACE = CARDS, CARDS + FAMILIES, CARDS + 2 * FAMILIES, CARDS + 2 * FAMILIES + 5
VIEW = SPACE + 1
"""Layout of the simpler game's state (``view``): the flags of each card; as bit sets of values, for each family, the
open cards and the cards that are taken; the next card of each foundation; whether there has been a space.
"""
ANY = (1 << KING + 1) - 2
TRUMP, ASIDE, HOST = range(3)
"""Treatment of the Fool: a trump; wild, but as if nothing could go on it; wild, and a host to any card."""
TOO_FAR = 12
"""Rounds counted for a card that never goes up."""


@jit
def rounds_left(row: Ints, base: int, draw: int, kinds: Ints, fool: int, view: Ints) -> int:
    """Return the sum, over the cards that are not up, of the rounds until they go up.

    If some never do, return -1 less such a sum: a proof of a loss, except with the Fool ``ASIDE``. ``draw`` cards are
    turned at a time; ``fool`` is the treatment of the Fool; ``view`` has room for ``VIEW`` numbers.
    """
    left = begin(row, base, kinds, fool, view)
    total = 0
    while left > 0:
        reached = reach(row, base, draw, kinds, view)
        gone = raise_up(row, base, kinds, view)
        total += left
        left -= gone
        placed = put_all(row, base, kinds, fool, view)
        if not reached and not placed and gone == 0:
            return -1 - total - left * TOO_FAR
    return total


@jit
def begin(row: Ints, base: int, kinds: Ints, fool: int, view: Ints) -> int:
    """Open the tops of all piles, and return the number of cards that are not up."""
    for index in range(VIEW):
        view[index] = 0
    left = 0
    for suit in range(5):
        card = row[base + NEXT + suit]
        view[WANTED + suit] = card
        if card >= 0:
            left += last_of(suit) + 1 - card
    for pile in range(PILES):
        card = row[base + TOP + pile]
        if card < 0:
            view[SPACE] = 1
        else:
            open_up(card, kinds, view)
    if fool != TRUMP:
        put(row, base, FOOL, kinds, view)
    return left


@jit
def open_up(card: int, kinds: Ints, view: Ints) -> None:
    """Mark the card as one that has been bare."""
    view[card] |= OPEN
    family = kinds[card] // VALUES
    view[OPENED + family] |= 1 << (kinds[card] - family * VALUES)


@jit
def reach(row: Ints, base: int, draw: int, kinds: Ints, view: Ints) -> bool:
    """Mark the stock cards that can come to the top of the waste, and return whether there are more than before.

    Cards are turned in groups of ``draw``: in this pass counted from the current waste, in later passes from the first
    card on. So a card comes to the top of the waste if it ends a group of this pass; if it ends a group of a later
    pass, either now or after some of the cards before it have left; if all cards behind it have left; or if the one
    right behind it, which covered it on the waste, has left.
    """
    waste, left = row[base + WASTE], row[base + LEFT]
    last = left
    while last > 0 and view[row[base + SEQ + last - 1]] & GONE_FROM != 0:
        last -= 1
    found, gone = False, 0
    for place in range(1, left + 1):
        card = row[base + SEQ + place - 1]
        if view[card] & AT_HAND == 0:
            ends = place % draw <= gone or (place >= waste and (place - waste) % draw == 0)
            if ends or place >= last or view[row[base + SEQ + place]] & GONE_FROM != 0:
                found = True
                view[card] |= AT_HAND
                if view[card] & PLACED != 0:
                    put(row, base, card, kinds, view)
        if view[card] & GONE_FROM != 0:
            gone += 1
    return found


@jit
def raise_up(row: Ints, base: int, kinds: Ints, view: Ints) -> int:
    """Let all cards go up that can, and return how many did."""
    gone = 0
    for suit in range(5):
        card = view[WANTED + suit]
        while card >= 0 and view[card] & (OPEN | AT_HAND) != 0:
            gone += 1
            if row[base + card] == STOCK:
                view[card] |= GONE_FROM
            else:
                put(row, base, card, kinds, view)
            card = card + 1 if card != last_of(suit) else -1
        view[WANTED + suit] = card
    return gone


@jit
def put_all(row: Ints, base: int, kinds: Ints, fool: int, view: Ints) -> bool:
    """Let all cards leave that something open takes, and return whether more are taken than before."""
    found = False
    # A snapshot for all families: a card that opens in this round takes cards only in the next one.
    opened, space = view[OPENED] + (view[OPENED + 1] << VALUES) + (view[OPENED + 2] << 2 * VALUES), view[SPACE]
    takes_any = fool == HOST and view[FOOL] & OPEN != 0
    for family in range(FAMILIES):
        values = values_beside(opened, family)
        taken = values >> 1 | (values & 4) << 8 | space << KING
        if takes_any:
            taken = ANY
        new = taken & ANY & ~view[PLACES + family]
        view[PLACES + family] |= new
        value = 0
        while new != 0:
            if new & 1 == 1:
                found = True
                place = KINDS + (family * VALUES + value) * ALIKE
                while kinds[place] >= 0:
                    card = kinds[place]
                    if row[base + card] != BASE or not is_fixed(card):
                        put(row, base, card, kinds, view)
                    place += 1
            value += 1
            new >>= 1
    return found


@jit
def values_beside(opened: int, family: int) -> int:
    """Return the values of open cards of other families."""
    values = 0
    for other in range(FAMILIES):
        if other != family:
            values |= opened >> other * VALUES & (1 << VALUES) - 1
    return values


@jit
def put(row: Ints, base: int, card: int, kinds: Ints, view: Ints) -> None:
    """Mark the card as taken: it leaves its place if it can be moved, and then so may the cards below."""
    view[card] |= PLACED
    if row[base + card] == STOCK:
        if view[card] & (AT_HAND | OPEN) == AT_HAND:
            view[card] |= GONE_FROM
            open_up(card, kinds, view)
        return
    while view[card] & (GONE_FROM | PLACED) == PLACED:
        below = row[base + card]
        if below == GONE or (below >= DOWN and view[card] & OPEN == 0):
            return
        view[card] |= GONE_FROM
        below %= DOWN
        if below == BASE:
            view[SPACE] = 1
            return
        open_up(below, kinds, view)
        card = below
