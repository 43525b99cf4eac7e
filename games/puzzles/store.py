"""Store of puzzles: those shipped with the code, and those added later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache

from django.db import transaction

from games.puzzles.models import PuzzleTheme, StoredPuzzle
from games.puzzles.puzzle import STARTERS, Puzzle
from games.puzzles.ratings.initial_ratings import PUZZLE_SIGMA, initial_rating
from games.puzzles.themes import themes_of


@cache
def starters() -> tuple[Puzzle, ...]:
    """Return the puzzles shipped with the code."""
    return tuple(map(Puzzle.from_json, json.loads(STARTERS.read_text())))


@transaction.atomic
def add(puzzles: Iterable[Puzzle], *, source: int | None = None, source_n: int | None = None) -> None:
    """Store puzzles with their themes, and skip those already stored.

    `source` is the attempt they were found in, if any; the start is its position after `source_n` tokens.
    """
    new = {hashlib.sha256(puzzle.start.encode()).hexdigest(): puzzle for puzzle in puzzles}
    rows = (
        StoredPuzzle(
            variant=puzzle.variant,
            contents=puzzle.to_json(),
            turns=len(puzzle.turns),
            moves=len(puzzle.line) + len(puzzle.finish),
            digest=digest,
            source_id=source,
            source_n=source_n,
            mu=initial_rating(puzzle),
            sigma=PUZZLE_SIGMA,
        )
        for digest, puzzle in new.items()
    )
    StoredPuzzle.objects.bulk_create(rows, batch_size=100, ignore_conflicts=True)
    stored = StoredPuzzle.objects.filter(digest__in=new).values_list("pk", "digest")
    themes = [PuzzleTheme(puzzle_id=pk, theme=theme) for pk, digest in stored for theme in themes_of(new[digest])]
    PuzzleTheme.objects.bulk_create(themes, batch_size=500, ignore_conflicts=True)


def ensure_any() -> None:
    """Store the shipped puzzles if there are none."""
    if not StoredPuzzle.objects.exists():
        add(starters())
