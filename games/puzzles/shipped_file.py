"""File of the puzzles shipped with the code, made by `manage.py make_puzzles` (docs/puzzles.md, "The shipped file").

Ratings and themes are stored, so that loading computes nothing.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.initial_ratings import initial_rating
from games.puzzles.themes import themes_of

SHIPPED: Final = Path(__file__).with_name("shipped_puzzles.xz")
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class PuzzleRow:
    """A puzzle's JSON form with what the database stores next to it."""

    contents: dict[str, Any]
    turns: int
    moves: int
    mu: float
    themes: tuple[str, ...]

    @classmethod
    def of(cls, puzzle: Puzzle) -> Self:
        """Compute the row of a puzzle."""
        moves = len(puzzle.line) + len(puzzle.finish)
        return cls(puzzle.to_json(), len(puzzle.turns), moves, initial_rating(puzzle), themes_of(puzzle))

    @classmethod
    def read(cls, line: str | bytes) -> Self:
        """Read a row from a line of the file."""
        row = json.loads(line)
        turns, moves, mu, themes = (row.pop(key) for key in ("turns", "moves", "mu", "themes"))
        row["losses"] = [dict.fromkeys(tokens.split()) for tokens in row["losses"]]
        return cls(row, turns, moves, mu, tuple(themes.split()))

    def written(self) -> str:
        """Return the line of the file; explanations of losses are left out."""
        row = self.contents | {"losses": [" ".join(turn) for turn in self.contents["losses"]]}
        row |= {"turns": self.turns, "moves": self.moves, "mu": round(self.mu, 1), "themes": " ".join(self.themes)}
        return json.dumps(row, separators=(",", ":"))


def header() -> Mapping[str, Any]:
    """Return the first line of the file.

    :raises ValueError: for a file of another version.
    """
    with lzma.open(SHIPPED) as file:
        found: dict[str, Any] = json.loads(file.readline())
    if found["version"] != VERSION:
        raise ValueError(f"{SHIPPED.name}: version {found['version']}, not {VERSION}")
    return found


def first_rows(number: int) -> list[PuzzleRow]:
    """Read the first puzzles, without reading the rest."""
    with lzma.open(SHIPPED) as file:
        return [PuzzleRow.read(line) for line in islice(file, 1, number + 1)]


def rows() -> Iterator[PuzzleRow]:
    """Check the file, and yield all puzzles.

    :raises ValueError: for a file of another version, or with other contents than its header says.
    """
    facts = header()
    _, _, body = lzma.decompress(SHIPPED.read_bytes()).partition(b"\n")
    lines = body.splitlines()
    if (hashlib.sha256(body).hexdigest(), len(lines)) != (facts["sha256"], facts["count"]):
        raise ValueError(f"{SHIPPED.name}: the checksum does not match")
    return map(PuzzleRow.read, lines)


def write(all_rows: Iterable[PuzzleRow]) -> None:
    """Replace the file, so that a kill leaves the old or the new one."""
    lines = [f"{row.written()}\n" for row in all_rows]
    body = "".join(lines).encode()
    first = {"version": VERSION, "count": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    draft = SHIPPED.with_suffix(".draft")
    draft.write_bytes(lzma.compress(json.dumps(first).encode() + b"\n" + body, preset=9))
    draft.replace(SHIPPED)
