"""Detection of puzzles that are nearly the same as a stored one, as games of the same deal produce."""

from __future__ import annotations

from django.db.models import Q

from games.puzzles.generation.likeness import are_near, last_places
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle


def has_near_duplicate(puzzle: Puzzle) -> bool:
    """Return whether a stored puzzle of the variant has the same last right move in nearly the same position."""
    token = puzzle.line[-1]
    same_move = Q(contents__line=token) | Q(contents__line__endswith=f" {token}")
    stored = StoredPuzzle.objects.filter(same_move, variant=puzzle.variant).values_list("contents", flat=True)
    last = last_places(puzzle)
    return any(are_near(last, last_places(Puzzle.from_json(contents))) for contents in stored)
