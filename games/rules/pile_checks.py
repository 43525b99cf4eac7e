"""Checks on the piles read from a position text."""

from __future__ import annotations

from collections.abc import Sequence

from games.rules.cards import RANK
from games.rules.errors import PositionError

Piles = Sequence[list[int]]


def check_suit_foundations(foundations: Piles, first: Sequence[int], longest: Sequence[int]) -> None:
    """Check foundations built in suit: pile i builds up from card `first[i]` and holds at most `longest[i]` cards.

    :raises PositionError: when a foundation is out of order or too long.
    """
    for slot, pile in enumerate(foundations):
        if len(pile) > longest[slot] or pile != list(range(first[slot], first[slot] + len(pile))):
            raise PositionError(f"foundation f{slot} is out of order")


def check_rounded_foundations(foundations: Piles, step: int, *, suits: bool) -> None:
    """Check foundations that start from the base rank and wrap around between king and ace.

    They build up (king, then ace) if `step` is 1, and down (ace, then king) if it is -1. With `suits`, each foundation
    is built in one suit. Pile 0 sets the base rank, and no foundation may start before the one to its left.

    :raises PositionError: when pile 0 is empty or a foundation breaks these rules.
    """
    if not foundations[0]:
        raise PositionError("f0 holds the base card")
    base = RANK[foundations[0][0]]
    started = True
    for slot, pile in enumerate(foundations):
        ranks = [RANK[card] for card in pile]
        in_order = ranks == [(base + step * height) % 13 for height in range(len(pile))]
        one_suit = not suits or len({card // 13 for card in pile}) <= 1
        if len(pile) > 13 or not in_order or not one_suit or (pile and not started):
            raise PositionError(f"foundation f{slot} is out of order")
        started = bool(pile)


def check_cells(cells: Piles, letter: str = "t") -> None:
    """Check that no cell holds more than one card; `letter` is the prefix of the cells' names.

    :raises PositionError: when one does.
    """
    for cell, pile in enumerate(cells):
        if len(pile) > 1:
            raise PositionError(f"cell {letter}{cell} holds more than one card")


def check_face_down(tableau: Piles, hidden: int) -> None:
    """Check that no pile's top card is face down; `hidden` is a bit set of cards.

    :raises PositionError: when one is.
    """
    for index, pile in enumerate(tableau):
        if pile and hidden >> pile[-1] & 1:
            raise PositionError(f"the top of t{index} is face down")
