"""Fixed puzzles, and stored ones."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from games.puzzles import shipped_file
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Losses, Puzzle
from games.puzzles.store import FIRST


@cache
def starters() -> tuple[Puzzle, ...]:
    """Return the shipped puzzles that a new site has at once."""
    return tuple(Puzzle.from_json(row.contents) for row in shipped_file.first_rows(FIRST))


#: A Labyrinth of three turns with a forced move after the first; a Labyrinth whose wrong moves are proven lost by the
#: solver alone; a Stonewall with three forced moves between its two turns; a Tarot that asks for the move that loses.
_EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text())
LABYRINTH, TRIED, STONEWALL, TAROT = map(Puzzle.from_json, _EXAMPLES)
#: A shipped puzzle of one turn.
SHORT = next(puzzle for puzzle in starters() if len(puzzle.turns) == 1)
#: The first one with thirty more losing moves listed, so that it allows three wrong moves as a day's puzzle.
_MANY: Losses = {**LABYRINTH.losses[0], **dict.fromkeys(map(str, range(30)))}
GENEROUS = replace(LABYRINTH, losses=(_MANY, *LABYRINTH.losses[1:]))
#: The second one as an older puzzle, without explanations.
UNEXPLAINED = replace(TRIED, losses=tuple(map(dict.fromkeys, TRIED.losses)))


def stored_puzzle(puzzle: Puzzle = LABYRINTH, **fields: Any) -> StoredPuzzle:
    """Store a puzzle; the same one may be stored several times."""
    values = {
        "variant": puzzle.variant,
        "contents": puzzle.to_json(),
        "turns": len(puzzle.turns),
        "moves": len(puzzle.line) + len(puzzle.finish),
        "digest": secrets.token_hex(32),
    }
    return StoredPuzzle.objects.create(**values | fields)


def right(puzzle: Puzzle, turn: int) -> str:
    """Return the winning move of a turn."""
    return puzzle.line[puzzle.turns[turn]]


def wrong(puzzle: Puzzle, turn: int) -> str:
    """Return a losing move of a turn."""
    return next(iter(puzzle.losses[turn]))
