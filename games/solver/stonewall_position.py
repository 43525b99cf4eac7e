"""A position of Stonewall as flat arrays: moves made and taken back, safe moves, and its key. Rules:
``games.rules.stonewall``.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from games.solver.jit import jit
from games.solver.tools import MASK, Ints

BASE, RESERVE, GONE = 52, 53, 54
"""What a card may lie on besides a card: the table, the reserve, its foundation."""
PILES = 6
TOP, FOUND, DOWN, SIZE = 52, 58, 62, 114
"""A packed position: what each card lies on, tops of the piles (-1 none), foundation heights (S H D C), and for each
card whether it is face down."""
TO_FOUNDATION = 6
HIDDEN_KEYS = 55 * 52
KEYS = HIDDEN_KEYS + 52
UNDO = 5


@jit
def is_red(card: int) -> bool:
    """Whether the card is a heart or a diamond."""
    return 13 <= card < 39


@jit
def goes_on(card: int, target: int) -> bool:
    """Whether the card may be built on the target."""
    return card % 13 + 1 == target % 13 and is_red(card) != is_red(target)


@jit
def continues(pos: Ints, card: int) -> bool:
    """Whether the card below belongs to the same run."""
    below = pos[card]
    return below < BASE and pos[DOWN + below] == 0 and goes_on(card, below)


@jit
def is_safe(pos: Ints, card: int) -> bool:
    """Whether the card may go to its foundation at once, because every card it could carry can go up too."""
    rank = card % 13
    if rank < 2:
        return True
    # Suits 0 and 3 are black, 1 and 2 red; the partner of a suit is 3 minus it.
    suit = card // 13
    other = 1 if suit in (0, 3) else 0
    low = min(pos[FOUND + other], pos[FOUND + 3 - other])
    return low >= rank - 1 and pos[FOUND + 3 - suit] >= rank - 2


@jit
def make(pos: Ints, undo: Ints, done: int, source: int, card: int, target: int, keys: Ints) -> int:
    """Move the run that starts with ``card``, and note the move at ``undo[done]``; returns the change in the position's
    key.
    """
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
    if source < PILES:
        top = pos[TOP + source]
        if below < BASE:
            pos[TOP + source] = below
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
        pos[card] = onto
        pos[TOP + target] = top
        change += keys[card * 55 + onto]
    return change


@jit
def take_back(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Take back the move noted at ``undo[done]``; returns the change in the position's key."""
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
        pos[TOP + target] = onto if onto < BASE else -1
    pos[card] = below
    if source < PILES:
        pos[TOP + source] = top
        if undo[at + 4] == 1:
            pos[DOWN + below] = 1
            change += keys[HIDDEN_KEYS + below]
    return change


@jit
def settle(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Make every safe foundation move; returns the number of moves noted."""
    busy = True
    while busy:
        busy = False
        for suit in range(4):
            card = suit * 13 + pos[FOUND + suit]
            if pos[FOUND + suit] == 13 or not is_safe(pos, card):
                continue
            source = source_of(pos, card)
            if source >= 0:
                make(pos, undo, done, source, card, TO_FOUNDATION, keys)
                done += 1
                busy = True
    return done


@jit
def source_of(pos: Ints, card: int) -> int:
    """The pile that has the card on top, ``PILES`` for the reserve, or -1."""
    if pos[card] == RESERVE:
        return PILES
    for pile in range(PILES):
        if pos[TOP + pile] == card:
            return pile
    return -1


@jit
def key_of(pos: Ints, keys: Ints) -> int:
    """The position's key."""
    key = 0
    for card in range(52):
        if pos[card] != GONE:
            key = (key + keys[card * 55 + pos[card]]) & MASK
            if pos[DOWN + card] == 1:
                key = (key + keys[HIDDEN_KEYS + card]) & MASK
    return key
