"""Safe foundation moves of Stonewall: no card that still needs a place needs the card that goes up.

A reserve card needs no place: it can wait in the reserve until it goes up. It is put on a pile only so that another
card can lie on it. So a card that would lie on another does without if it is in the reserve, or goes up as soon as it
is uncovered, and all cards that would lie on it do without as well.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints
from games.solver.stonewall.position import FOUND, GONE, RESERVE, RESERVED, TO_FOUNDATION, TOPS, is_red, make, pile_of


@jit
def settle(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Make every safe foundation move, and return the number of moves recorded."""
    busy = True
    while busy:
        busy = False
        for suit in range(4):
            card = suit * 13 + pos[FOUND + suit]
            if pos[FOUND + suit] < 13 and (pos[TOPS] | pos[RESERVED]) >> card & 1 == 1 and is_safe(pos, card):
                make(pos, undo, done, pile_of(pos, card), card, TO_FOUNDATION, keys)
                done += 1
                busy = True
    return done


@jit
def is_safe(pos: Ints, card: int) -> bool:
    """Return whether every card that could lie on this one, directly or on others, does without."""
    rank = card % 13
    spare = True
    for lower in range(rank):
        # Colours alternate downwards from the card. Suits 0 and 3 are black, 1 and 2 red.
        suit = 1 if is_red(card) == ((rank - lower) % 2 == 0) else 0
        spare = does_without(pos, suit * 13 + lower, spare) and does_without(pos, (3 - suit) * 13 + lower, spare)
    return spare


@jit
def does_without(pos: Ints, card: int, spare: bool) -> bool:  # noqa: FBT001 -- compiled code knows no names
    """Return whether the card needs no place to lie. ``spare`` is true if all cards that could lie on it do without."""
    if pos[card] == GONE:
        return True
    return spare and (pos[card] == RESERVE or pos[FOUND + card // 13] == card % 13)
