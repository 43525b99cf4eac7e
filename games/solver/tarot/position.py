"""Packed position of Tarot, and tables of which card goes on which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.solver.jit import jit, longs
from games.solver.kernel_tools import Ints

CARDS, FOOL, WORLD, PILES = 78, 56, 77, 9
BASE, STOCK, GONE = 78, 79, 80
"""Places that a card may lie on besides another card: the table, stock or waste, its foundation."""
DOWN = 100
"""Added to what a card lies on while it is face down."""
TOP, NEXT, WASTE, LEFT, UP, HIDDEN, COST, SEQ = 78, 87, 92, 93, 94, 95, 96, 97
ROW = SEQ + 33
"""A packed position: what each card lies on, tops of piles (-1 none), the next card of each foundation (-1 complete),
cards on the waste, cards in waste and stock, cards up, cards face down, tokens so far, waste and stock as one
sequence."""
LINKS = 80
FIXED = 79
"""Columns of the table of targets: a card; BASE, an empty pile; FIXED, never leaves the bottom of a pile."""
TAKERS = 12
FAMILIES, VALUES, ALIKE, KING = 3, 16, 4, 14
KINDS = CARDS
"""Layout of the table of kinds: each card's kind, family * ``VALUES`` + value; from index ``KINDS`` on the cards of
each kind, up to ``ALIKE`` - 1, closed by -1. The World is also listed among the kings, because it goes into spaces like
them. The Fool's value is 0, which no other card has.
"""


@dataclass(frozen=True)
class TarotStart:
    """A position.

    Piles from the bottom up as (card, face down), the next card of each foundation (-1 complete), the waste from the
    bottom up, the stock's next card first, the cards drawn at a time, and whether the Fool is wild.
    """

    piles: Sequence[Sequence[tuple[int, bool]]]
    wanted: Sequence[int]
    waste: Sequence[int]
    stock: Sequence[int]
    draw: int
    wild: bool


class TarotTables(NamedTuple):
    """Lookup tables: targets by the columns above; for each card the cards that go on it, without the Fool; kinds."""

    goes: Ints
    takers: Ints
    kinds: Ints


@jit
def suit_of(card: int) -> int:
    """Return the card's suit, 0 to 3; 4 for trumps."""
    return card // 14 if card < FOOL else 4


@jit
def last_of(suit: int) -> int:
    """Return the last card that goes up in a suit."""
    return suit * 14 + 13 if suit < 4 else WORLD


@jit
def is_fixed(card: int) -> bool:
    """Return whether the card is a king or the World, which go into spaces and leave a pile's bottom only to go up."""
    return card == WORLD or (card < FOOL and card % 14 == 13)


def _value(card: int) -> int:
    if card < FOOL:
        return card % 14 + 1
    number = card - FOOL
    return number if number <= 10 else number // 10 + number % 10


def _family(card: int) -> int:
    return 2 if card >= FOOL else card // 14 % 2


def _goes_on(card: int, onto: int, *, wild: bool) -> bool:
    if FOOL in (card, onto):
        return wild and card != onto
    if _family(card) == _family(onto):
        return False
    return _value(card) + 1 == _value(onto) or (_value(card) == 10 and _value(onto) == 2)


@cache
def tables(*, wild: bool) -> TarotTables:
    """Build the tables of a game whose Fool is wild or a trump."""
    goes, takers = longs(CARDS * LINKS), longs(CARDS * TAKERS, -1)
    for card in range(CARDS):
        fixed = is_fixed(card)
        goes[card * LINKS + BASE] = int(fixed or (card == FOOL and wild))
        goes[card * LINKS + FIXED] = int(fixed)
        place = card * TAKERS
        for other in range(CARDS):
            goes[card * LINKS + other] = int(_goes_on(card, other, wild=wild))
            if FOOL not in {other, card} and _goes_on(other, card, wild=wild):
                takers[place] = other
                place += 1
    return TarotTables(goes, takers, _kinds())


def _kinds() -> Ints:
    kinds = longs(KINDS + FAMILIES * VALUES * ALIKE, -1)
    members: dict[int, list[int]] = {2 * VALUES + KING: [WORLD]}
    for card in range(CARDS):
        kind = _family(card) * VALUES + _value(card)
        kinds[card] = kind
        members.setdefault(kind, []).append(card)
    for kind, cards in members.items():
        for place, card in enumerate(cards):
            kinds[KINDS + kind * ALIKE + place] = card
    return kinds
