"""Winning lines from the golden games of the rules' own tests."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

from games.rules import End, Record, open_table, replay

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


@cache
def won_labyrinth() -> Record:
    """Return a won game: every card that may go up is played and rows are dealt at random, until a seed gives a win."""
    dice = random.Random(3)
    while True:
        seed = dice.randbytes(32)
        table = open_table("labyrinth", seed)
        while legal := table.legal_moves():
            table.push(legal[0] if dice.random() < 0.95 else legal[-1])
        if table.is_won:
            clock = tuple(range(1000, 1000 + len(table.moves)))
            return Record(1, "labyrinth", None, seed, table.moves, clock, End("won", clock[-1]))


def _standing(record: Record) -> tuple[str, ...]:
    standing: list[str] = []
    for token in record.tokens:
        if token == "u":
            standing.pop()
        else:
            standing.append(token)
    return tuple(standing)
