"""Winning lines from the golden games of the rules' own tests."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from games.rules import Record, replay

GAMES = Path(__file__).resolve().parent / "golden"


@cache
def winning_lines(variant: str) -> tuple[tuple[bytes, tuple[str, ...]], ...]:
    """Return distinct seeds of a variant, each with winning tokens free of undone moves."""
    found: dict[bytes, tuple[str, ...]] = {}
    for game in json.loads((GAMES / f"{variant}.json").read_text()):
        record = Record.from_json(game["record"])
        if record.end.how == "won" and replay(record).ok:
            found.setdefault(record.seed, _standing(record))
    return tuple(found.items())


def _standing(record: Record) -> tuple[str, ...]:
    standing: list[str] = []
    for token in record.tokens:
        if token == "u":
            standing.pop()
        else:
            standing.append(token)
    return tuple(standing)
