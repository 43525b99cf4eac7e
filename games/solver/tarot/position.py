"""Packed position of Tarot: layout, tables of which card goes on which, and moves.

Stock and waste are one row of cards to pick from, draws included.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.rules.variants.tarot import FITS, family, value
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


TO_FOUNDATION = 9
"""The target of a move to a foundation."""
FROM_STOCK = 9
"""The source of a move from stock or waste."""


class TarotContext(NamedTuple):
    """Constants and buffers of a search.

    The cards drawn at a time, whether the Fool is wild, the cards needed to win, the tables of which card goes on which
    (see ``TarotTables``), the keys, the weights of the score, a log of moves (its length first), a list of moves, and
    scratch space for the simpler game.
    """

    draw: int
    wild: bool
    goal: int
    goes: Ints
    takers: Ints
    kinds: Ints
    keys: Ints
    weights: Ints
    log: Ints
    moves: Ints
    marks: Ints


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


@cache
def tables(*, wild: bool) -> TarotTables:
    """Build the tables of a game whose Fool is wild or a trump."""
    fits = FITS[wild]
    goes, takers = longs(CARDS * LINKS), longs(CARDS * TAKERS, -1)
    for card in range(CARDS):
        goes[card * LINKS + BASE] = fits.founds >> card & 1
        goes[card * LINKS + FIXED] = fits.fixed >> card & 1
        for other in range(CARDS):
            goes[card * LINKS + other] = fits.on[card] >> other & 1
        others = [other for other in range(CARDS) if fits.takes[card] >> other & 1 and FOOL not in {other, card}]
        for place, other in enumerate(others):
            takers[card * TAKERS + place] = other
    return TarotTables(goes, takers, _kinds())


def _kinds() -> Ints:
    kinds = longs(KINDS + FAMILIES * VALUES * ALIKE, -1)
    members: dict[int, list[int]] = {2 * VALUES + KING: [WORLD]}
    for card in range(CARDS):
        kind = family(card) * VALUES + value(card)
        kinds[card] = kind
        members.setdefault(kind, []).append(card)
    for kind, cards in members.items():
        for place, card in enumerate(cards):
            kinds[KINDS + kind * ALIKE + place] = card
    return kinds


@jit
def is_safe(row: Ints, base: int, card: int, takers: Ints) -> bool:
    """Return whether every card that could be built on this one is up."""
    for index in range(card * TAKERS, card * TAKERS + TAKERS):
        other = takers[index]
        if other < 0:
            return True
        if row[base + other] != GONE:
            return False
    return True


@jit
def expose(row: Ints, base: int, pile: int, below: int, keys: Ints) -> int:
    """Make ``below`` the top of a pile, turn it up, and return the change in the key."""
    if below >= BASE:
        row[base + TOP + pile] = -1
        return 0
    row[base + TOP + pile] = below
    if row[base + below] >= DOWN:
        row[base + below] -= DOWN
        row[base + HIDDEN] -= 1
        return -keys[CARDS * LINKS + below]
    return 0


@jit
def pick(row: Ints, base: int, card: int) -> int:
    """Take a card from stock or waste, and return how many cards had to be on the waste to reach it."""
    place = 0
    while row[base + SEQ + place] != card:
        place += 1
    left = row[base + LEFT] - 1
    for index in range(place, left):
        row[base + SEQ + index] = row[base + SEQ + index + 1]
    row[base + LEFT] = left
    row[base + WASTE] = place
    return place + 1


@jit
def tokens_of(row: Ints, base: int, move: int, draw: int) -> int:
    """Return how many tokens a move takes, including the draws it needs."""
    if (move >> 4) & 15 != FROM_STOCK:
        return 1
    waste, left, place = row[base + WASTE], row[base + LEFT], 1
    while row[base + SEQ + place - 1] != move >> 8:
        place += 1
    if place == waste:
        return 1
    if place > waste and ((place - waste) % draw == 0 or place == left):
        return 1 + (place - waste + draw - 1) // draw
    return 2 + (left - waste + draw - 1) // draw + (place + draw - 1) // draw


@jit
def apply(row: Ints, base: int, move: int, keys: Ints) -> int:
    """Make a move, card * 256 + source * 16 + target; return the change in the key."""
    card = move >> 8
    source = (move >> 4) & 15
    target = move & 15
    below = row[base + card]
    change = -keys[card * LINKS + below]
    top = card
    if source == FROM_STOCK:
        pick(row, base, card)
    else:
        top = row[base + TOP + source]
        change += expose(row, base, source, below, keys)
    if target == TO_FOUNDATION:
        row[base + card] = GONE
        row[base + UP] += 1
        suit = suit_of(card)
        row[base + NEXT + suit] = card + 1
        if card == last_of(suit):
            row[base + NEXT + suit] = -1
        return change
    onto = row[base + TOP + target]
    if onto < 0:
        onto = BASE
    row[base + card] = onto
    row[base + TOP + target] = top
    return change + keys[card * LINKS + onto]


@jit
def settle(row: Ints, base: int, deal: TarotContext) -> int:
    """Play every top card that no other card needs and return the change in the key."""
    change = 0
    busy = True
    while busy:
        busy = False
        for pile in range(PILES):
            card = row[base + TOP + pile]
            if card >= 0 and row[base + NEXT + suit_of(card)] == card and is_safe(row, base, card, deal.takers):
                move = card * 256 + pile * 16 + TO_FOUNDATION
                change += apply(row, base, move, deal.keys)
                deal.log[0] += 1
                deal.log[deal.log[0]] = move
                busy = True
    return change


@jit
def waste_key(row: Ints, base: int, draw: int) -> int:
    """Return the size of the waste, as far as it matters.

    Sizes that every pass through the stock reaches anyway (multiples of ``draw``, and all cards) count as one.
    """
    waste = row[base + WASTE]
    if waste % draw == 0 or waste == row[base + LEFT]:
        return 0
    return waste


@jit
def list_moves(row: Ints, base: int, deal: TarotContext) -> int:
    """Write the legal moves, with all stock cards in reach, to the deal's list and return their number."""
    count = 0
    for source in range(PILES):
        card = row[base + TOP + source]
        if card >= 0:
            count = list_foundation(row, base, card, source, deal, count)
        while 0 <= card < BASE and row[base + card] < DOWN:
            count = list_targets(row, base, card, source, deal, count)
            card = row[base + card]
    waste, left, draw = row[base + WASTE], row[base + LEFT], deal.draw
    for place in range(1, left + 1):
        if place % draw == 0 or place == left or (place >= waste and (place - waste) % draw == 0):
            card = row[base + SEQ + place - 1]
            count = list_foundation(row, base, card, FROM_STOCK, deal, count)
            count = list_targets(row, base, card, FROM_STOCK, deal, count)
    return count


@jit
def list_foundation(row: Ints, base: int, card: int, source: int, deal: TarotContext, count: int) -> int:
    """Write the card's move to its foundation if it is next there; return the new number of moves."""
    if row[base + NEXT + suit_of(card)] == card:
        deal.moves[count] = card * 256 + source * 16 + TO_FOUNDATION
        count += 1
    return count


@jit
def list_targets(row: Ints, base: int, card: int, source: int, deal: TarotContext, count: int) -> int:
    """Write the moves of a card and the run on it to piles, and return the new number of moves.

    Of the empty piles, only the first is a target.
    """
    goes, at_bottom = deal.goes, row[base + card] == BASE
    if at_bottom and goes[card * LINKS + FIXED] == 1:
        return count
    empty = at_bottom or goes[card * LINKS + BASE] == 0
    for target in range(PILES):
        onto = row[base + TOP + target]
        if onto < 0:
            if empty:
                continue
            empty = True
        elif target == source or goes[card * LINKS + onto] == 0:
            continue
        deal.moves[count] = card * 256 + source * 16 + target
        count += 1
    return count
