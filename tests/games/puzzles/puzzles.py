"""Fixed puzzles, and stored ones."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle, successors
from games.rules import from_position
from tests.games.certified import won

#: A Labyrinth of three turns with a forced move after the first; a Labyrinth whose wrong moves are proven lost by the
#: solver alone; a Stonewall with three forced moves between its two turns.
LABYRINTH, TRIED, STONEWALL = map(Puzzle.from_json, json.loads(Path(__file__).with_name("examples.json").read_text()))
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


def puzzle_in_known_game(n: int = 12) -> Puzzle:
    """Return a puzzle of one turn that a won game of Stonewall has after `n` moves, with the deal's seed.

    The deal is none of today's in the browser tests.
    """
    record = won("stonewall")[-1]
    table = record.open_table()
    for token in record.tokens[:n]:
        table.push(token)
    start, right = table.position(), record.tokens[n]
    losses = {token: None for token in successors(from_position(start)).values() if token != right}
    return Puzzle("stonewall", start, (right,), record.tokens[n + 1 :], (losses,), record.seed.hex(), record.tokens[:n])
