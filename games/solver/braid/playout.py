"""Play-out of a Braid position by a simple policy, which the searches use to evaluate it.

Every card that can go up does. A rule decides whether a card of the waste is parked, unless a choice overrides it.
Judging a position by a simple player's whole game is the idea of X. Yan, P. Diaconis, P. Rusmevichientong and B. Van
Roy, "Solitaire: Man Versus Machine" (2004). A play-out shows what matters about a parked card: whether it goes up in
time.
"""

from __future__ import annotations

from games.solver.braid.position import (
    BRAID,
    CARDS,
    CELLS,
    DRAW,
    END,
    FILL,
    FOUND,
    FROM_BRAID,
    FROM_WASTE,
    HOLDS,
    INNER,
    KEPT,
    NEXT,
    PARK,
    PARKED,
    ROUND,
    ROUNDS,
    RULE,
    SEQ,
    WASTE,
    BraidContext,
)
from games.solver.jit import jit
from games.solver.kernel_tools import Ints

HELD, INSIDE, HEIGHT, SEQUENCE, COMING, SPACES = 0, 52, 104, 112, 184, 236
"""Offsets in ``BraidContext.room``: copies of each card in cells, and in inner cells; foundation heights; waste and
stock by number; copies of each card that the round still brings; empty cells.
"""
FROM_CELL, KINDS, EVENTS = 0, 64, 800
"""An event is the move (any cell counts as the first) times ``KINDS``, plus the card. ``EVENTS`` is the size of a
game's event list.
"""


@jit
def play_out(row: Ints, base: int, deal: BraidContext, events: Ints | None) -> tuple[int, int, int]:
    """Play to the end of the last round, or of a round in which nothing moved.

    Return the cards up, the cards left on the braid, and the progress of both at the ends of earlier rounds. ``events``
    receives the moves, their number first.
    """
    room = deal.room
    lay_out(row, base, deal)
    left = raise_held(deal, row[base + BRAID], events)
    waste, following, end, rounds = row[base + WASTE], row[base + NEXT], row[base + END], row[base + ROUNDS]
    await_stock(room, deal.cards, following, end)
    deal.asked[0] = 0
    early, played = 0, True
    while True:
        while waste > 0:
            number = room[SEQUENCE + waste - 1]
            kind = deal.cards[number]
            if deal.choices[rounds * CARDS + number] != KEPT and goes_up(room, kind):
                tell(events, FROM_WASTE, kind)
                left = raise_held(deal, left, events)
            elif room[SPACES] > 0 and is_parked(deal, kind, rounds * CARDS + number):
                tell(events, PARK, kind)
                room[HELD + kind] += 1
                room[SPACES] -= 1
            else:
                break
            waste -= 1
            played = True
        if following < end:
            tell(events, DRAW, 0)
            number = room[SEQUENCE + following]
            room[SEQUENCE + waste] = number
            room[COMING + deal.cards[number]] -= 1
            waste += 1
            following += 1
        elif rounds > 0 and waste > 0 and played:
            tell(events, ROUND, 0)
            early += 2 * cards_up(room) - left
            end, waste, following, rounds, played = waste, 0, 0, rounds - 1, False
            await_stock(room, deal.cards, 0, end)
        else:
            break
    return cards_up(room), left, early


@jit
def tell(events: Ints | None, move: int, kind: int) -> None:
    """Append an event, if events are recorded."""
    if events is not None:
        events[0] += 1
        events[events[0]] = move * KINDS + kind


@jit
def lay_out(row: Ints, base: int, deal: BraidContext) -> None:
    """Write the position to ``BraidContext.room``."""
    room = deal.room
    for kind in range(52):
        room[HELD + kind] = 0
        room[INSIDE + kind] = 0
    room[SPACES] = 0
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0:
            room[HELD + kind] += 1
            room[INSIDE + kind] += int(cell < INNER)
        else:
            room[SPACES] += 1
    for slot in range(8):
        room[HEIGHT + slot] = row[base + FOUND + slot]
    for place in range(row[base + END]):
        room[SEQUENCE + place] = row[base + SEQ + place]


@jit
def await_stock(room: Ints, cards: Ints, following: int, end: int) -> None:
    """Count the copies of each card that the round still brings."""
    for kind in range(52):
        room[COMING + kind] = 0
    for place in range(following, end):
        room[COMING + cards[room[SEQUENCE + place]]] += 1


@jit
def cards_up(room: Ints) -> int:
    """Return the number of cards up."""
    up = 0
    for slot in range(8):
        up += room[HEIGHT + slot]
    return up


@jit
def is_parked(deal: BraidContext, kind: int, place: int) -> bool:
    """Return whether the top of the waste goes into an empty cell, and record that the choice came up."""
    deal.asked[0] += 1
    deal.asked[deal.asked[0]] = place
    return deal.choices[place] == PARKED or (deal.choices[place] == RULE and comes_in_time(deal.room, kind))


@jit
def comes_in_time(room: Ints, kind: int) -> bool:
    """Return whether all cards that have to go up before a card are in cells or still to come in the round."""
    slot, rank = HEIGHT + kind // 13 * 2, kind % 13
    if rank < room[slot]:
        slot += 1
    elif room[HELD + kind] > 0:
        return False
    below = kind - rank + room[slot]
    while below < kind and room[HELD + below] + room[COMING + below] > 0:
        below += 1
    return below == kind


@jit
def raise_held(deal: BraidContext, left: int, events: Ints | None) -> int:
    """Play all cards that cells and braid can, fill inner cells, and return the number of cards left on the braid."""
    room, braid = deal.room, deal.braid
    busy = True
    while busy:
        busy = False
        for slot in range(8):
            while room[HEIGHT + slot] < 13:
                kind = (slot >> 1) * 13 + room[HEIGHT + slot]
                if room[HELD + kind] == 0 or (deal.choices[HOLDS + kind] > 0 and is_held_back(room, kind, slot, left)):
                    break
                tell(events, FROM_CELL, kind)
                goes_up(room, kind)
                left = leave_cell(deal, kind, left, events)
                busy = True
        while left > 0 and goes_up(room, braid[left - 1]):
            tell(events, FROM_BRAID, 0)
            left -= 1
            busy = True
    return left


@jit
def is_held_back(room: Ints, kind: int, slot: int, left: int) -> bool:
    """Return whether a card of an outer cell waits so that its twin can go up first.

    It waits until the braid is empty or the lower foundation of its suit takes it.
    """
    return left > 0 and slot & 1 == 0 and room[INSIDE + kind] == 0 and room[HEIGHT + slot] > room[HEIGHT + slot + 1]


@jit
def leave_cell(deal: BraidContext, kind: int, left: int, events: Ints | None) -> int:
    """Take a card from a cell, preferably an inner one, which the braid refills; return the cards left on the braid."""
    room = deal.room
    room[HELD + kind] -= 1
    if room[INSIDE + kind] == 0:
        room[SPACES] += 1
        return left
    room[INSIDE + kind] -= 1
    if left == 0:
        room[SPACES] += 1
        return left
    tell(events, FILL, deal.braid[left - 1])
    room[HELD + deal.braid[left - 1]] += 1
    room[INSIDE + deal.braid[left - 1]] += 1
    return left - 1


@jit
def goes_up(room: Ints, kind: int) -> bool:
    """Put a card on the foundation that takes it, and return whether one does."""
    slot, rank = HEIGHT + kind // 13 * 2, kind % 13
    if room[slot + 1] == rank and room[slot] > rank:
        room[slot + 1] += 1
    elif room[slot] == rank:
        room[slot] += 1
    else:
        return False
    return True
