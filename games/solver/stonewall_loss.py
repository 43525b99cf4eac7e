"""A quick proof that a position of Stonewall is lost, by a simpler game in which more is possible.

In the simpler game a card that has once been on top stays open: it takes any number of cards, and what has gone on a
card is still there for others. What cannot happen there cannot happen in the game. As long as no pile is empty, a card
goes only to its foundation or onto a card. So if not even the simpler game empties a pile, no pile is ever emptied.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.stonewall_position import BASE, FOUND, PILES, RESERVE, TOP, continues, is_red
from games.solver.tools import Ints

EMPTIED = -1


@jit
def is_hopeless(pos: Ints, heights: Ints) -> bool:
    """Whether no pile can ever be emptied. ``heights`` is room for four numbers."""
    opened = 0
    for pile in range(PILES):
        if pos[TOP + pile] < 0:
            return False
        opened |= 1 << pos[TOP + pile]
    for suit in range(4):
        heights[suit] = pos[FOUND + suit]
    before = 0
    while opened != before:
        before = opened
        raise_heights(pos, opened, heights)
        opened = with_runs_gone(pos, with_reserve(pos, opened), heights)
        if opened == EMPTIED:
            return False
    return True


@jit
def raise_heights(pos: Ints, opened: int, heights: Ints) -> None:
    """Let every card go up that is open or in the reserve and whose turn it is."""
    for suit in range(4):
        while heights[suit] < 13:
            card = suit * 13 + heights[suit]
            if pos[card] != RESERVE and (opened >> card) & 1 == 0:
                break
            heights[suit] += 1


@jit
def with_reserve(pos: Ints, opened: int) -> int:
    """The open cards (a bit each) and the reserve cards that can be put on one of them or of each other."""
    for rank in range(11, 0, -1):
        for suit in range(4):
            card = suit * 13 + rank
            if pos[card] == RESERVE and can_lie(card, opened):
                opened |= 1 << card
    return opened


@jit
def with_runs_gone(pos: Ints, opened: int, heights: Ints) -> int:
    """The open cards and those under a card that can leave; ``EMPTIED`` when a pile's lowest card can.

    A card leaves alone or with the run on it. Every card of a run is asked: the run may be split where it lies next.
    """
    for pile in range(PILES):
        card = pos[TOP + pile]
        while True:
            below = pos[card]
            if can_lie(card, opened) or card % 13 < heights[card // 13]:
                if below == BASE:
                    return EMPTIED
                opened |= 1 << below
            elif not continues(pos, card):
                break
            card = below
    return opened


@jit
def can_lie(card: int, opened: int) -> bool:
    """Whether one of the two cards that take the card is open."""
    rank = card % 13
    if rank == 12:
        return False
    first, second = (0, 39) if is_red(card) else (13, 26)
    return ((opened >> (rank + 1 + first)) | (opened >> (rank + 1 + second))) & 1 == 1
