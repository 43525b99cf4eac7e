"""A quick proof that a position of Stonewall is lost, by a simpler game in which more is possible.

In the simpler game a card that has once been on top stays open: it takes any number of cards, and what has gone on a
card is still there for others. What cannot happen there cannot happen in the game. As long as no pile is empty, a card
goes only to its foundation or onto a card. So if not even the simpler game empties a pile, no pile is ever emptied.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.stonewall_position import BASE, FOUND, PILES, RESERVED, TOP, TOPS, continues
from games.solver.tools import Ints

EMPTIED = -1
RANKS = (1 << 13) - 1
HEIGHTS, LOWEST, VIEW = 0, 4, 10
"""What is known of the simpler game beside the set of open cards: foundation heights, and for each pile its topmost
card that has not left.
"""


@jit
def is_hopeless(pos: Ints, view: Ints) -> bool:
    """Whether no pile can ever be emptied. ``view`` is room for ``VIEW`` numbers."""
    for suit in range(4):
        view[HEIGHTS + suit] = pos[FOUND + suit]
    for pile in range(PILES):
        if pos[TOP + pile] < 0:
            return False
        view[LOWEST + pile] = pos[TOP + pile]
    opened = pos[TOPS]
    before = 0
    while opened != before:
        before = opened
        raise_heights(view, opened | pos[RESERVED])
        opened = with_reserve(pos, opened)
        opened = with_runs_gone(pos, opened, view)
        if opened == EMPTIED:
            return False
    return True


@jit
def raise_heights(view: Ints, ready: int) -> None:
    """Let every card go up that is ready and whose turn it is."""
    for suit in range(4):
        height = view[HEIGHTS + suit]
        while height < 13 and ready >> (suit * 13 + height) & 1 == 1:
            height += 1
        view[HEIGHTS + suit] = height


@jit
def with_reserve(pos: Ints, opened: int) -> int:
    """The open cards and the reserve cards that can be put on one of them or of each other."""
    more = can_lie(opened) & pos[RESERVED] & ~opened
    while more != 0:
        opened |= more
        more = can_lie(opened) & pos[RESERVED] & ~opened
    return opened


@jit
def with_runs_gone(pos: Ints, opened: int, view: Ints) -> int:
    """The open cards and those under a card that can leave; ``EMPTIED`` when a pile's lowest card can."""
    leaving = can_lie(opened)
    for suit in range(4):
        leaving |= ((1 << view[HEIGHTS + suit]) - 1) << (13 * suit)
    for pile in range(PILES):
        more = unfold(pos, pile, leaving, view)
        if more == EMPTIED:
            return EMPTIED
        opened |= more
    return opened


@jit
def unfold(pos: Ints, pile: int, leaving: int, view: Ints) -> int:
    """What is under the cards of a pile that leave, or ``EMPTIED``.

    A card leaves alone or with the run on it. Every card of a run is asked: the run may be split where it lies next.
    """
    opened = 0
    card = view[LOWEST + pile]
    stays = False
    while True:
        below = pos[card]
        if leaving >> card & 1 == 1:
            if below == BASE:
                return EMPTIED
            opened |= 1 << below
            if not stays:
                view[LOWEST + pile] = below
        elif continues(pos, card):
            stays = True
        else:
            return opened
        card = below


@jit
def can_lie(opened: int) -> int:
    """The cards that can lie on one of the open cards."""
    black = (opened | opened >> 39) & RANKS
    red = (opened >> 13 | opened >> 26) & RANKS
    return (red >> 1) | (red >> 1) << 39 | (black >> 1) << 13 | (black >> 1) << 26
