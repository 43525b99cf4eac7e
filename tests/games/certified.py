"""Winnable deals without a solver: whole games that were won, kept for the rules' own tests, put in stock as sealed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from games.deals.certification import winning_record
from games.models import SealedDeal
from games.rules import CATALOGUE, RULES_VERSION, Record, replay

GAMES = Path(__file__).resolve().parents[1] / "rules" / "golden"


@cache
def won(variant: str) -> tuple[Record, ...]:
    """Winning records of a variant without undone moves, each of another deal."""
    found: dict[bytes, Record] = {}
    for game in json.loads((GAMES / f"{variant}.json").read_text()):
        record = Record.from_json(game["record"])
        if record.end.how == "won" and replay(record).ok:
            found.setdefault(record.seed, _plain(variant, record))
    return tuple(found.values())


def _plain(variant: str, record: Record) -> Record:
    standing: list[str] = []
    for token in record.tokens:
        if token == "u":
            standing.pop()
        else:
            standing.append(token)
    return winning_record(variant, record.seed, tuple(standing))


def seal(variant: str = "stonewall", index: int = 0, **fields: Any) -> SealedDeal:
    """Put a winnable deal of a variant in stock; another one for each `index`."""
    record = won(variant)[index]
    facts: dict[str, Any] = {"grade": 3, "random_wins": 0.0, "greedy_wins": 0.0, "nodes": 100, **fields}
    return SealedDeal.objects.create(
        variant=variant,
        rules_version=RULES_VERSION,
        seed=record.seed,
        solution=record.to_bytes(),
        par=len(record.tokens),
        **facts,
    )


def seal_all() -> None:
    """One deal of each variant."""
    for variant in CATALOGUE:
        seal(variant)
