"""Position of Stonewall as a flat array, with its key; moves are made and taken back in place.

Rules: ``games.rules.variants.stonewall``. Sets of cards are integers with a bit for each card.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from games.rules.variants.stonewall import ON
from games.solver.jit import jit, longs_of
from games.solver.kernel_tools import MASK, Ints

BASE, RESERVE, GONE = 52, 53, 54
"""Places that a card may lie on besides another card: the table, the reserve, its foundation."""
PILES = 6
TOP, FOUND, DOWN, TOPS, RESERVED, KEY, SIZE = 52, 58, 62, 114, 115, 116, 117
"""A packed position: what each card lies on, tops of the piles (-1 none), foundation heights (S H D C), for each card
whether it is face down, the set of the tops, the set of the reserve, and the key.
"""
TO_FOUNDATION = 6
HIDDEN_KEYS = 55 * 52
KEYS = HIDDEN_KEYS + 52
UNDO = 5
BLACK_PAIR, RED_PAIR = 1 | 1 << 39, 1 << 13 | 1 << 26
"""The two aces of each colour."""


TAKERS = longs_of(ON)
"""For each card, the set of the cards that it may be built on."""


@jit
def is_red(card: int) -> bool:
    """Return whether the card is a heart or a diamond."""
    return 13 <= card < 39


@jit
def goes_on(card: int, target: int) -> bool:
    """Return whether the card may be built on the target."""
    return TAKERS[card] >> target & 1 == 1


@jit
def continues(pos: Ints, card: int) -> bool:
    """Return whether the card below belongs to the same run."""
    below = pos[card]
    return TAKERS[card] >> below & 1 == 1 and pos[DOWN + below] == 0


@jit
def make(pos: Ints, undo: Ints, done: int, source: int, card: int, target: int, keys: Ints) -> None:
    """Move the run that starts with ``card``, and record the move at ``undo[done]``."""
    below = pos[card]
    if below == RESERVE:
        source = PILES
    at = done * UNDO
    undo[at] = card
    undo[at + 1] = source
    undo[at + 2] = below
    undo[at + 3] = target
    undo[at + 4] = 0
    change = -keys[card * 55 + below]
    top = card
    if source == PILES:
        pos[RESERVED] ^= 1 << card
    else:
        top = pos[TOP + source]
        pos[TOPS] ^= 1 << top
        if below < BASE:
            pos[TOP + source] = below
            pos[TOPS] ^= 1 << below
            if pos[DOWN + below] == 1:
                pos[DOWN + below] = 0
                undo[at + 4] = 1
                change -= keys[HIDDEN_KEYS + below]
        else:
            pos[TOP + source] = -1
    if target == TO_FOUNDATION:
        pos[card] = GONE
        pos[FOUND + card // 13] += 1
    else:
        onto = pos[TOP + target]
        if onto < 0:
            onto = BASE
        else:
            pos[TOPS] ^= 1 << onto
        pos[card] = onto
        pos[TOP + target] = top
        pos[TOPS] ^= 1 << top
        change += keys[card * 55 + onto]
    pos[KEY] = (pos[KEY] + change) & MASK


@jit
def take_back(pos: Ints, undo: Ints, done: int, keys: Ints) -> None:
    """Take back the move recorded at ``undo[done]``."""
    at = done * UNDO
    card = undo[at]
    source = undo[at + 1]
    below = undo[at + 2]
    target = undo[at + 3]
    change = keys[card * 55 + below]
    top = card
    if target == TO_FOUNDATION:
        pos[FOUND + card // 13] -= 1
    else:
        onto = pos[card]
        change -= keys[card * 55 + onto]
        top = pos[TOP + target]
        pos[TOPS] ^= 1 << top
        if onto < BASE:
            pos[TOP + target] = onto
            pos[TOPS] ^= 1 << onto
        else:
            pos[TOP + target] = -1
    pos[card] = below
    if source == PILES:
        pos[RESERVED] ^= 1 << card
    else:
        pos[TOP + source] = top
        pos[TOPS] ^= 1 << top
        if below < BASE:
            pos[TOPS] ^= 1 << below
        if undo[at + 4] == 1:
            pos[DOWN + below] = 1
            change += keys[HIDDEN_KEYS + below]
    pos[KEY] = (pos[KEY] + change) & MASK


@jit
def pile_of(pos: Ints, card: int) -> int:
    """Return the pile that has the card on top, or ``PILES``."""
    for pile in range(PILES):
        if pos[TOP + pile] == card:
            return pile
    return PILES


@jit
def heights(pos: Ints) -> int:
    """Return the heights of the foundations, in four bits each."""
    return pos[FOUND] | pos[FOUND + 1] << 4 | pos[FOUND + 2] << 8 | pos[FOUND + 3] << 12


@jit
def key_of(pos: Ints, keys: Ints) -> int:
    """Compute the position's key from scratch."""
    key = 0
    for card in range(52):
        if pos[card] != GONE:
            key = (key + keys[card * 55 + pos[card]]) & MASK
            if pos[DOWN + card] == 1:
                key = (key + keys[HIDDEN_KEYS + card]) & MASK
    return key
