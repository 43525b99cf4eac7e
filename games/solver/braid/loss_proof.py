"""Quick proof that a position of Braid is lost, by a relaxation: a simpler game in which more is possible.

In the simpler game the stock and, before the last round, the waste are always at hand. Only the braid still buries
cards, which wait in the inner cells, and in the last round the waste, whose cards wait in the outer cells or, once the
braid is gone, in any cell. Moving a card out never hurts there, so every card that can move does, in any order. If a
card stays buried, no line of the real game wins.

If only one of a card's two copies can go up at a time, it does not matter which goes first, as long as both come from
the braid or both from the waste. If one comes from each, they go up independently of each other.
"""

from __future__ import annotations

from games.solver.braid.position import BRAID, CELLS, FOUND, INNER, ROUNDS, SEQ, WASTE, BraidContext
from games.solver.jit import jit
from games.solver.kernel_tools import Ints

BURIED, GONE, REACH, HELD, LEFT = 0, 52, 156, 164, 176
"""Offsets in ``BraidContext.room``: for each card, the copies buried; the copies up, counted for the braid and for the
waste; how far each foundation can be built with unburied cards; cards in cells (-1 none), 52 higher if from the waste
or an outer cell; cards left on braid and waste.
"""


@jit
def is_hopeless(row: Ints, base: int, deal: BraidContext) -> bool:
    """Return whether the position is lost even in the simpler game."""
    room = deal.room
    room[LEFT] = row[base + BRAID]
    room[LEFT + 1] = 0
    if row[base + ROUNDS] == 0:
        room[LEFT + 1] = row[base + WASTE]
    if room[LEFT] + room[LEFT + 1] == 0:
        return False
    lay_out(row, base, deal)
    busy = True
    while busy:
        busy = False
        for stack in range(2):
            while room[LEFT + stack] > 0 and goes_up(room, card_at(row, base, deal, stack, room[LEFT + stack] - 1)):
                take(row, base, deal, stack)
                busy = True
        for cell in range(CELLS):
            if room[HELD + cell] >= 0 and goes_up(room, room[HELD + cell]):
                room[HELD + cell] = -1
                busy = True
            stack = 0 if cell < INNER and room[LEFT] > 0 else 1
            if room[HELD + cell] < 0 and room[LEFT + stack] > 0:
                room[HELD + cell] = take(row, base, deal, stack)
                busy = True
    return room[LEFT] + room[LEFT + 1] > 0


@jit
def lay_out(row: Ints, base: int, deal: BraidContext) -> None:
    """Write the position to ``BraidContext.room``, except for the numbers of cards left."""
    room = deal.room
    for kind in range(52):
        slot = base + FOUND + kind // 13 * 2
        up = int(row[slot] > kind % 13) + int(row[slot + 1] > kind % 13)
        room[BURIED + kind] = 0
        room[GONE + kind] = up
        room[GONE + 52 + kind] = up
    for stack in range(2):
        for place in range(room[LEFT + stack] - 1):
            room[BURIED + card_at(row, base, deal, stack, place) % 52] += 1
    for slot in range(8):
        room[REACH + slot] = 0
        extend(room, slot)
    for cell in range(CELLS):
        room[HELD + cell] = row[base + cell]
        if cell >= INNER and row[base + cell] >= 0:
            room[HELD + cell] += 52


@jit
def card_at(row: Ints, base: int, deal: BraidContext, stack: int, place: int) -> int:
    """Return a card of the braid (stack 0) or, 52 higher, of the waste (stack 1)."""
    if stack == 0:
        return deal.braid[place]
    return 52 + deal.cards[row[base + SEQ + place]]


@jit
def extend(room: Ints, slot: int) -> None:
    """Compute how far a foundation can be built.

    The first foundation of a suit needs one copy of each card, the second both.
    """
    suit, buried = slot >> 1, 1 - (slot & 1)
    while room[REACH + slot] < 13 and room[BURIED + suit * 13 + room[REACH + slot]] <= buried:
        room[REACH + slot] += 1


@jit
def goes_up(room: Ints, card: int) -> bool:
    """Let a card go up if a foundation can be built up to it, and return whether one can."""
    slot, rank = REACH + card % 52 // 13 * 2, card % 13
    if room[GONE + card] < int(room[slot] > rank) + int(room[slot + 1] > rank):
        room[GONE + card] += 1
        return True
    return False


@jit
def take(row: Ints, base: int, deal: BraidContext, stack: int) -> int:
    """Take the top card off a stack and return it; the next card is no longer buried."""
    room = deal.room
    room[LEFT + stack] -= 1
    left = room[LEFT + stack]
    if left > 0:
        opened = card_at(row, base, deal, stack, left - 1) % 52
        room[BURIED + opened] -= 1
        extend(room, opened // 13 * 2)
        extend(room, opened // 13 * 2 + 1)
    return card_at(row, base, deal, stack, left)
