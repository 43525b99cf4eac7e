"""Proof that a position of Braid is lost, from the order in which the cards of waste and stock come.

Draw by draw, to the end of the last round, the proof computes an upper bound: the cards that can be at hand by then
(up, or in a cell), and how many copies of each can be up. It ignores what would lower the bound: a card that has been
at hand stays at hand, and if only one of two copies can be up, it is always the one in the way.

- A card leaves the waste only after all cards above it in the round's order. As long as the braid lasts, these cards
  and the cards that outer cells held at the beginning are either up or in outer cells. So at most eight of them may be
  cards that can't be up, including the card itself unless it goes up at once. Once the braid can be empty, the limit is
  twelve, counting all cards of cells and braid as well.
- A card leaves the braid only if at most four cards can't be up among the cards above it on the braid, the cards in
  the inner cells and, unless it goes up at once, the card itself.

By induction over its moves, no line has more at hand or up than this bound: before the first move that exceeded it,
everything was within the bound and there was room, so the bound would have included that move. If a card can't be up in
the end, no line wins.
"""

from __future__ import annotations

from games.solver.braid.position import BRAID, CELLS, END, FOUND, INNER, NEXT, ROUNDS, SEQ, WASTE, BraidContext
from games.solver.jit import jit
from games.solver.kernel_tools import Ints

INSIDE, OUTSIDE, ALL, CREDIT, HAND, COUNT, REACH = 0, 52, 104, 156, 208, 260, 312
SEQUENCE, GONE, PENDING, SIZE, LEFT = 320, 392, 464, 467, 468
"""Offsets in ``BraidContext.room``: copies of each card in three groups (inner cells and from the braid; outer cells;
all of cells and braid), copies that can have gone up since, copies that can be at hand, and copies in a group plus the
top of the waste; how far each foundation can be built; waste and stock in the round's order, and which of them have
been at hand; how many cards of each group can't be up; the number of cards in waste and stock; cards left on the braid.
"""


@jit
def is_out_of_order(row: Ints, base: int, deal: BraidContext) -> bool:
    """Return whether the position is lost even if cells hold as much as the three groups allow."""
    room = deal.room
    lay_out(row, base, deal)
    drawn = row[base + WASTE]
    for _ in range(row[base + ROUNDS] + 1):
        while drawn <= room[SIZE]:
            while pull_waste(row, base, room, drawn) or pull_braid(deal):
                pass
            drawn += 1
        drawn = 1
    reached = 0
    for slot in range(8):
        reached += room[REACH + slot]
    return reached < 104


@jit
def lay_out(row: Ints, base: int, deal: BraidContext) -> None:
    """Write the position to ``BraidContext.room``, before anything has moved."""
    room = deal.room
    for place in range(SEQUENCE):
        room[place] = 0
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0:
            room[(INSIDE if cell < INNER else OUTSIDE) + kind] += 1
    for kind in range(52):
        slot = base + FOUND + kind // 13 * 2
        up = int(row[slot] > kind % 13) + int(row[slot + 1] > kind % 13)
        room[ALL + kind] = room[INSIDE + kind] + room[OUTSIDE + kind]
        room[HAND + kind] = up + room[ALL + kind]
        room[CREDIT + kind] = -up
    room[LEFT] = row[base + BRAID]
    for place in range(room[LEFT]):
        room[ALL + deal.braid[place]] += 1
    for group in range(3):
        room[PENDING + group] = 0
        for kind in range(52):
            room[PENDING + group] += room[52 * group + kind]
    room[SIZE] = row[base + WASTE] + row[base + END] - row[base + NEXT]
    for place in range(room[SIZE]):
        at = place if place < row[base + WASTE] else place - row[base + WASTE] + row[base + NEXT]
        room[SEQUENCE + place] = deal.cards[row[base + SEQ + at]]
        room[GONE + place] = 0
    for suit in range(4):
        extend(room, suit)


@jit
def extend(room: Ints, suit: int) -> bool:
    """Build the foundations of a suit as far as the cards at hand allow, and return whether more can be up.

    The first foundation needs one copy of each card, the second both.
    """
    busy = False
    for copy in range(2):
        slot = REACH + 2 * suit + copy
        while room[slot] < 13 and room[HAND + suit * 13 + room[slot]] > copy:
            kind = suit * 13 + room[slot]
            for group in range(3):
                if 0 <= room[CREDIT + kind] < room[52 * group + kind]:
                    room[PENDING + group] -= 1
            room[CREDIT + kind] += 1
            room[slot] += 1
            busy = True
    return busy


@jit
def goes_up(room: Ints, kind: int) -> bool:
    """Return whether one more copy at hand could go up at once."""
    hand = room[HAND + kind]
    return hand < 2 and room[REACH + kind // 13 * 2 + hand] == kind % 13


@jit
def pull_waste(row: Ints, base: int, room: Ints, drawn: int) -> bool:
    """Take the cards that can leave the waste after ``drawn`` draws, from the top; return whether more can be up."""
    if row[base + BRAID] > 0 and pull_into(room, drawn, 1, CELLS - INNER):
        return True
    return room[LEFT] == 0 and pull_into(room, drawn, 2, CELLS)


@jit
def pull_into(room: Ints, drawn: int, group: int, most: int) -> bool:
    """Take the cards that can leave the waste if a group's cards and those above may hold ``most`` cells.

    Return whether more can be up.
    """
    pending = room[PENDING + group]
    room[COUNT : COUNT + 52] = room[52 * group : 52 * group + 52]
    for back in range(drawn):
        place = drawn - 1 - back
        kind = room[SEQUENCE + place]
        room[COUNT + kind] += 1
        pending += int(room[COUNT + kind] > room[CREDIT + kind])
        new = room[GONE + place] == 0
        if pending > most and not (new and goes_up(room, kind)):
            return False
        if new:
            room[GONE + place] = 1
            room[HAND + kind] += 1
            if extend(room, kind // 13):
                return True
    return False


@jit
def pull_braid(deal: BraidContext) -> bool:
    """Take the cards that can leave the braid, and return whether more can be up or the braid has become empty."""
    room = deal.room
    while room[LEFT] > 0:
        kind = deal.braid[room[LEFT] - 1]
        more = int(room[INSIDE + kind] >= room[CREDIT + kind])
        if room[PENDING] + more > INNER and not goes_up(room, kind):
            return False
        room[LEFT] -= 1
        room[INSIDE + kind] += 1
        room[HAND + kind] += 1
        room[PENDING] += more
        if extend(room, kind // 13) or room[LEFT] == 0:
            return True
    return False
