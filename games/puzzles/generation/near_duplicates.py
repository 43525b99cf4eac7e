"""Detection of puzzles that are nearly the same, as games of the same deal produce."""

from __future__ import annotations

from typing import Final

from django.db.models import Q

from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle

#: Number of cards that lie elsewhere in a puzzle that is not a near-duplicate.
MIN_MOVED: Final = 8


def has_near_duplicate(puzzle: Puzzle) -> bool:
    """Return whether a stored puzzle of the variant has the same last right move in nearly the same position.

    The last position counts, so a puzzle that leads to the turning point of another is its near-duplicate.
    """
    token = puzzle.line[-1]
    same_move = Q(contents__line=token) | Q(contents__line__endswith=f" {token}")
    stored = StoredPuzzle.objects.filter(same_move, variant=puzzle.variant).values_list("contents", flat=True)
    last = _last_places(puzzle)
    return any(len(last - _last_places(Puzzle.from_json(contents))) < MIN_MOVED for contents in stored)


def _last_places(puzzle: Puzzle) -> set[tuple[str, int, int]]:
    """Return the cards at the last turn: pile, place in it from the bottom, and card."""
    table = puzzle.table_at(len(puzzle.line) - 1)
    return {(name, place, card) for name in table.pile_names() for place, card in enumerate(table.pile(name))}
