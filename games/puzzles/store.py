"""Store of puzzles: those shipped with the code, and those added later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle

STARTERS: Final = Path(__file__).with_name("starter_puzzles.json")


@cache
def starters() -> tuple[Puzzle, ...]:
    """Return the puzzles shipped with the code."""
    return tuple(map(Puzzle.from_json, json.loads(STARTERS.read_text())))


def add(puzzles: Iterable[Puzzle]) -> None:
    """Store puzzles, and skip those already stored."""
    rows = (
        StoredPuzzle(
            variant=puzzle.variant,
            contents=puzzle.to_json(),
            turns=len(puzzle.turns),
            moves=len(puzzle.line) + len(puzzle.finish),
            digest=hashlib.sha256(puzzle.start.encode()).hexdigest(),
        )
        for puzzle in puzzles
    )
    StoredPuzzle.objects.bulk_create(rows, batch_size=100, ignore_conflicts=True)


def ensure_any() -> None:
    """Store the shipped puzzles if there are none."""
    if not StoredPuzzle.objects.exists():
        add(starters())
