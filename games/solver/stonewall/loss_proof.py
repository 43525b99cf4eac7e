"""Proof that a position of Stonewall is lost, by a simpler game whose positions are outlines.

In the simpler game, loose cards lie in any possible arrangement (``outline.place``), in another one for each move if
need be. Its moves:

- The topmost fixed card of a pile becomes loose, or goes up if its turn has come. There must be an arrangement that
  leaves free the cards this uncovers and, if it goes up, the card itself.
- A loose card goes up if its turn has come. There must be an arrangement with nothing on it.
- A reserve card goes up if its turn has come, or becomes loose.

Without fixed cards the game is won: the lowest card left has nothing on it, and can go up. A position that can't be won
in the simpler game is lost in the real game. To see this, let a line win from a position. Each of its moves leads to a
position with the same outline, or is one of the moves above, and the arrangement at the time of the move is the one
that the move requires. Two moves of the simpler game are not always tried:

- Reserve cards become loose only when an arrangement needs them, and no more than it needs. A reserve card left needs
  no place and can still become loose whenever the line wants it to; nothing else depends on whether a card is loose.
- If the next card of a suit is safe, it goes up at once and nothing else is tried. The argument of ``moves``
  holds here too: all cards that would ever lie on it do without.

Each move leaves fewer fixed cards or fewer cards to go up, so no outline repeats. The verdict on an outline is cached
for all positions that have it.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints, add_key, has_key
from games.solver.search_drivers import Search
from games.solver.statuses import LOST, RUNNING, SPENT, WON
from games.solver.stonewall.moves import is_safe
from games.solver.stonewall.outline import (
    BURIED,
    DECK,
    ENTRY,
    KNOWN,
    LOOKED,
    LOOSE,
    SIZE,
    STUCK,
    SUITS,
    TOPS,
    Outline,
    found_of,
    height_of,
    key_of,
    look_at,
    place,
    push,
    shape_of,
    with_up,
    without_top,
)
from games.solver.stonewall.position import PILES, RESERVED

WINNABLE = 0x2545F4914F6CDD1D
"""XOR mask for the key of a winnable outline, so that one set holds both verdicts."""
AT_A_TIME = 2000
"""Outlines to look at for one position of a search."""


@jit
def is_hopeless(pos: Ints, outline: Outline) -> bool:
    """Return whether even the simpler game can't be won; False also if finding out would take too long."""
    first = outline.facts[SIZE]
    push(outline, shape_of(pos), pos[RESERVED])
    verdict = explore(outline, first, AT_A_TIME)
    outline.facts[SIZE] = first
    return verdict == LOST


@jit
def explore(outline: Outline, first: int, most: int) -> int:
    """Look at up to ``most`` outlines, depth first.

    Return ``WON`` or ``LOST`` for entry ``first`` of the stack, ``SPENT`` when there is no room, or ``RUNNING``.
    """
    facts, stack = outline.facts, outline.stack
    stop = facts[LOOKED] + most
    while facts[STUCK] == 0:
        if facts[SIZE] == first:
            return LOST
        at = (facts[SIZE] - 1) * ENTRY
        shape, kept = stack[at], stack[at + 1]
        key = key_of(shape, kept)
        if stack[at + 2] == 1:
            note(outline, key)
            facts[SIZE] -= 1
        elif has_key(outline.known, key):
            facts[SIZE] -= 1
        elif shape & ((1 << SUITS) - 1) == 0 or has_key(outline.known, key ^ WINNABLE):
            note_won(outline, first)
            return WON
        elif facts[LOOKED] >= stop:
            return RUNNING
        else:
            facts[LOOKED] += 1
            stack[at + 2] = 1
            list_moves(outline, shape, kept)
    return SPENT


@jit
def note(outline: Outline, key: int) -> None:
    """Store a verdict."""
    if outline.facts[KNOWN] < len(outline.known) * 5 // 8:
        outline.facts[KNOWN] += add_key(outline.known, key)
    else:
        outline.facts[STUCK] = 1


@jit
def note_won(outline: Outline, first: int) -> None:
    """Store that the outlines in progress can be won."""
    stack = outline.stack
    for at in range(first * ENTRY, outline.facts[SIZE] * ENTRY, ENTRY):
        if stack[at + 2] == 1:
            note(outline, key_of(stack[at], stack[at + 1]) ^ WINNABLE)


@jit
def list_moves(outline: Outline, shape: int, kept: int) -> None:
    """Push the outlines that one move leads to on the stack."""
    look_at(outline, shape, kept)
    for suit in range(4):
        card = suit * 13 + found_of(shape, suit)
        if is_in_reach(outline, shape, card) and is_safe(shape >> SUITS, kept, card):
            push(outline, with_safe(outline, shape, card), kept & ~(1 << card))
            return
    for pile in range(PILES):
        if height_of(shape, pile) > 0:
            list_uncovering(outline, shape, pile)
    for suit in range(4):
        card = suit * 13 + found_of(shape, suit)
        if not is_in_reach(outline, shape, card):
            continue
        if kept >> card & 1 == 1:
            push(outline, with_up(shape, card), kept & ~(1 << card))
        elif outline.facts[LOOSE] >> card & 1 == 1:
            place(outline, 0, 1 << card, with_up(shape, card))


@jit
def list_uncovering(outline: Outline, shape: int, pile: int) -> None:
    """Push the outlines that moving a pile's topmost fixed card leads to on the stack."""
    card = outline.fixed[pile * DECK + height_of(shape, pile) - 1]
    after = without_top(shape, pile)
    place(outline, 1 << card, 0, after)
    if card % 13 == found_of(shape, card // 13):
        place(outline, 0, 1 << card, with_up(after, card))


@jit
def is_in_reach(outline: Outline, shape: int, card: int) -> bool:
    """Return whether the card is the next of its foundation, and not buried."""
    return card % 13 == found_of(shape, card // 13) and outline.facts[BURIED] >> card & 1 == 0


@jit
def with_safe(outline: Outline, shape: int, card: int) -> int:
    """Return the shape after a card goes up from wherever it lies."""
    if outline.facts[TOPS] >> card & 1 == 1:
        for pile in range(PILES):
            height = height_of(shape, pile)
            if height > 0 and outline.fixed[pile * DECK + height - 1] == card:
                return with_up(without_top(shape, pile), card)
    return with_up(shape, card)


class StonewallLoss(Search):
    """Search for a proof that a position is lost: ``LOST``, or ``SPENT`` if there is none."""

    def __init__(self, pos: Ints, outline: Outline) -> None:
        self.outline = outline
        self.looked = 0
        self.status = RUNNING
        push(outline, shape_of(pos), pos[RESERVED])

    @property
    def nodes(self) -> int:
        return self.looked

    def run(self, nodes: int) -> int:
        if self.status == RUNNING:
            before = int(self.outline.facts[LOOKED])
            verdict = int(explore(self.outline, 0, nodes))
            self.looked += int(self.outline.facts[LOOKED]) - before
            self.status = SPENT if verdict == WON else verdict
        return self.status

    def tokens(self) -> list[str]:
        """Return an empty list: the search never wins."""
        return []
