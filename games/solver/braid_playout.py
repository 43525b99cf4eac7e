"""What comes of a position of Braid if all that can go up does, and nothing is parked: what the search judges it by.

A simple player's whole game as the measure of a position is the idea of X. Yan, P. Diaconis, P. Rusmevichientong and
B. Van Roy, "Solitaire: Man Versus Machine" (2004). It sees what counts of a parked card: whether it comes in time.
"""

from __future__ import annotations

from games.solver.braid_position import BRAID, CELLS, END, FOUND, INNER, NEXT, ROUNDS, SEQ, WASTE, Deal
from games.solver.jit import jit
from games.solver.tools import Ints

HELD, INSIDE, HEIGHT, CARDS = 0, 52, 104, 112
"""In the deal's room: copies of each card in cells, and in inner cells; foundations; waste and stock."""


@jit
def play_out(row: Ints, base: int, deal: Deal) -> tuple[int, int]:
    """Play to the end of the last round, or of one in which nothing went up; returns the cards up and those left on the
    braid.
    """
    room = deal.room
    lay_out(row, base, deal)
    left = raise_held(room, deal.braid, row[base + BRAID])
    waste, following, end, rounds = row[base + WASTE], row[base + NEXT], row[base + END], row[base + ROUNDS]
    played = True
    while True:
        while waste > 0 and goes_up(room, room[CARDS + waste - 1]):
            waste -= 1
            left = raise_held(room, deal.braid, left)
            played = True
        if following < end:
            room[CARDS + waste] = room[CARDS + following]
            waste += 1
            following += 1
        elif rounds > 0 and played:
            end, waste, following, rounds, played = waste, 0, 0, rounds - 1, False
        else:
            break
    up = 0
    for slot in range(8):
        up += room[HEIGHT + slot]
    return up, left


@jit
def lay_out(row: Ints, base: int, deal: Deal) -> None:
    """Write the position to the room."""
    room = deal.room
    for kind in range(52):
        room[HELD + kind] = 0
        room[INSIDE + kind] = 0
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0:
            room[HELD + kind] += 1
            room[INSIDE + kind] += int(cell < INNER)
    for slot in range(8):
        room[HEIGHT + slot] = row[base + FOUND + slot]
    for place in range(row[base + END]):
        room[CARDS + place] = deal.cards[row[base + SEQ + place]]


@jit
def raise_held(room: Ints, braid: Ints, left: int) -> int:
    """Play all that cells and braid can, and fill inner cells; returns the cards left on the braid."""
    busy = True
    while busy:
        busy = False
        for slot in range(8):
            while room[HEIGHT + slot] < 13 and room[HELD + (slot >> 1) * 13 + room[HEIGHT + slot]] > 0:
                kind = (slot >> 1) * 13 + room[HEIGHT + slot]
                goes_up(room, kind)
                room[HELD + kind] -= 1
                if room[INSIDE + kind] > 0:
                    room[INSIDE + kind] -= 1
                    if left > 0:
                        left -= 1
                        room[HELD + braid[left]] += 1
                        room[INSIDE + braid[left]] += 1
                busy = True
        while left > 0 and goes_up(room, braid[left - 1]):
            left -= 1
            busy = True
    return left


@jit
def goes_up(room: Ints, kind: int) -> bool:
    """Put a card on the foundation that takes it; returns whether one does."""
    slot, rank = HEIGHT + kind // 13 * 2, kind % 13
    if room[slot + 1] == rank and room[slot] > rank:
        room[slot + 1] += 1
    elif room[slot] == rank:
        room[slot] += 1
    else:
        return False
    return True
