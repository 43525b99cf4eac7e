"""Quick proof that a position of The Plot is lost, by a simpler game in which only the reserve buries cards.

In the simpler game all other cards are always at hand, so every line of the real game is a line of it too. There a
foundation can wait until the reserve needs it: building it up sooner only uses cards up. The reserve's top card goes on
the highest foundation that can still take it: a lower one needs the same cards at hand and some more, and those could
just as well build it up to where the higher one was. So there is only one line to look at, and if it does not empty the
reserve, no line of the real game does. In phase one there is only the first foundation; if the reserve's top is too low
for it, it has to be filled with cards at hand.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints
from games.solver.plot.position import HEIGHT, RESERVE, PlotContext

FULL = 13
HEIGHTS, HAND = 0, 8
"""Offsets in ``PlotContext.room``: foundation heights, then the number of cards of each rank at hand."""


@jit
def is_hopeless(row: Ints, base: int, deal: PlotContext) -> bool:
    """Return whether the reserve can't be emptied even in the simpler game."""
    room = deal.room
    lay_out(row, base, deal)
    left = row[base + RESERVE]
    while left > 0:
        card = deal.reserve[left - 1]
        slot = best_slot(room, card)
        if slot >= 0:
            if not build(room, slot, card):
                return True
            room[HEIGHTS + slot] += 1
            left -= 1
        elif room[HEIGHTS] == FULL or not build(room, 0, FULL):
            return True
    return False


@jit
def lay_out(row: Ints, base: int, deal: PlotContext) -> None:
    """Write the position to ``PlotContext.room``."""
    room = deal.room
    for rank in range(FULL):
        room[HAND + rank] = 0
    for slot in range(8):
        room[HEIGHTS + slot] = row[base + HEIGHT + slot]
        for rank in range(row[base + HEIGHT + slot], FULL):
            room[HAND + rank] += 1
    for place in range(row[base + RESERVE]):
        room[HAND + deal.reserve[place]] -= 1


@jit
def best_slot(room: Ints, card: int) -> int:
    """Return the highest foundation that can still take the card, -1 if none can."""
    if room[HEIGHTS] < FULL:
        return 0 if room[HEIGHTS] <= card else -1
    best = -1
    for slot in range(8):
        height = room[HEIGHTS + slot]
        if height <= card and (best < 0 or height > room[HEIGHTS + best]):
            best = slot
    return best


@jit
def build(room: Ints, slot: int, height: int) -> bool:
    """Build a foundation up to this height with cards at hand, and return whether there are enough."""
    while room[HEIGHTS + slot] < height:
        rank = room[HEIGHTS + slot]
        if room[HAND + rank] == 0:
            return False
        room[HAND + rank] -= 1
        room[HEIGHTS + slot] += 1
    return True
