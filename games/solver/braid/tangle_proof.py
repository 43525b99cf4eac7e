"""Proof that a position of Braid is lost: a search of a simpler game in which only the braid buries cards.

In it, all cards outside the braid and the inner cells are always at hand. So a position is the set of cards that have
left these, and the heights of the foundations. Few positions matter: a card at hand waits until a card of the braid or
an inner cell needs it, because a twin on the braid may take its place, and a card that no twin can need goes up at
once. If the braid can't be emptied there, no line of the real game empties it.
"""

from __future__ import annotations

from games.solver.braid.position import BRAID, FOUND, INNER, BraidContext
from games.solver.jit import jit
from games.solver.kernel_tools import Ints, add_key, clear

QUEUE, REST, HEIGHT, OPEN = 0, 24, 76, 84
"""Offsets in ``BraidContext.room``: the cards of inner cells and braid in order; copies of each that have not left;
foundation heights; the open places in the queue, one more than there are inner cells.
"""
HEIGHTS = 32
"""A position: four bits for each foundation, then a bit for each card that has left."""
MOST = 800
"""Positions to look at before giving up; few proofs need 50."""


@jit
def is_tangled(row: Ints, base: int, deal: BraidContext) -> bool:
    """Return whether the braid can't be emptied even in the simpler game."""
    braid = row[base + BRAID]
    if braid == 0:
        return False
    states, seen = deal.states, deal.seen
    clear(seen)
    states[0] = lay_out(row, base, deal)
    size, looked = 1, 0
    while size > 0:
        size -= 1
        state = states[size]
        if add_key(seen, state) == 0:
            continue
        looked += 1
        if open_up(deal.room, state, INNER + braid) <= INNER or looked > MOST:
            return False
        size = list_plays(deal, state, size)
    return True


@jit
def lay_out(row: Ints, base: int, deal: BraidContext) -> int:
    """Write the queue to ``BraidContext.room`` and return the position."""
    room = deal.room
    for kind in range(52):
        room[REST + kind] = 0
    for cell in range(INNER):
        room[QUEUE + cell] = row[base + cell]
    for place in range(row[base + BRAID]):
        room[QUEUE + INNER + place] = deal.braid[row[base + BRAID] - 1 - place]
    state = 0
    for slot in range(8):
        state += row[base + FOUND + slot] << 4 * slot
    return state


@jit
def open_up(room: Ints, state: int, total: int) -> int:
    """Write the open places, the foundation heights and the cards that rest; return how many cards rest."""
    for slot in range(8):
        room[HEIGHT + slot] = state >> 4 * slot & 15
    for place in range(total):
        room[REST + room[QUEUE + place]] = 0
    count = 0
    for place in range(total):
        if state >> HEIGHTS + place & 1 == 0:
            room[REST + room[QUEUE + place]] += 1
            if count <= INNER:
                room[OPEN + count] = place
            count += 1
    return count


@jit
def list_plays(deal: BraidContext, state: int, size: int) -> int:
    """List the positions that plays of open cards lead to from index ``size`` on, and return the new length.

    A play that does no harm is the only one listed.
    """
    count = size
    for index in range(INNER + 1):
        reached, harmless = play(deal.room, state, index)
        if reached > 0:
            if harmless:
                deal.states[size] = reached
                return size + 1
            deal.states[count] = reached
            count += 1
    return count


@jit
def play(room: Ints, state: int, index: int) -> tuple[int, bool]:
    """Play an open card, and before it the cards of its suit below it.

    Return the new position, or -1 if one of those cards is buried, and whether no twin of a card played stays behind.
    """
    kind = room[QUEUE + room[OPEN + index]]
    suit, rank = kind // 13, kind % 13
    slot = 2 * suit + int(rank < room[HEIGHT + 2 * suit])
    if rank < room[HEIGHT + slot]:
        return -1, False
    harmless = True
    for step in range(room[HEIGHT + slot], rank + 1):
        card = suit * 13 + step
        resting = room[REST + card]
        place = index if step == rank else open_place(room, card)
        if place >= 0:
            state += 1 << HEIGHTS + room[OPEN + place]
            resting -= 1
        elif resting + int(room[HEIGHT + 2 * suit] > step) + int(room[HEIGHT + 2 * suit + 1] > step) > 1:
            return -1, False
        harmless = harmless and resting == 0
    return state + (rank + 1 - room[HEIGHT + slot] << 4 * slot), harmless


@jit
def open_place(room: Ints, card: int) -> int:
    """Return the index of the open place that holds a card, -1 if none does."""
    for index in range(INNER + 1):
        if room[QUEUE + room[OPEN + index]] == card:
            return index
    return -1
