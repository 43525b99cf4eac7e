"""Likeness of puzzles, measured by the cards that lie elsewhere at the last turn, to which another may lead."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from games.puzzles.puzzle import Puzzle

#: Number of cards that lie elsewhere in a puzzle that is not near another.
MIN_MOVED: Final = 8

Places = frozenset[tuple[str, int, int]]


def last_places(puzzle: Puzzle) -> Places:
    """Return the cards at the last turn: pile, place in it from the bottom, and card."""
    table = puzzle.table_at(len(puzzle.line) - 1)
    return frozenset((name, place, card) for name in table.pile_names() for place, card in enumerate(table.pile(name)))


class PuzzleIndex:
    """Index of puzzles that finds near ones among many thousands.

    The cards are split into as many groups as make a puzzle differ. Two near puzzles have at least one group of which
    no card lies elsewhere.
    """

    def __init__(self) -> None:
        self._places: dict[int, list[Places]] = defaultdict(list)

    def add(self, puzzle: Puzzle) -> bool:
        """Add a puzzle, unless one near it is there; return whether it was added."""
        places = last_places(puzzle)
        groups: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
        for place in places:
            groups[place[2] % MIN_MOVED].append(place)
        keys = [hash((puzzle.variant, frozenset(group))) for group in groups.values()]
        if any(len(places - other) < MIN_MOVED for key in keys for other in self._places[key]):
            return False
        for key in keys:
            self._places[key].append(places)
        return True
