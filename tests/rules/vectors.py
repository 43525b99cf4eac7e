"""Test vectors in docs/vectors, for checking implementations in other languages.

`python -m tests.rules.vectors` regenerates them from the engine and the golden games.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from games.deals import numbered_deals
from games.rules import (
    CATALOGUE,
    Record,
    Table,
    Variant,
    commitment,
    open_table,
    race_commitment,
    race_terms,
    replay,
    shuffled_deck,
)
from games.rules.races.document import race_text
from tests.rules.golden import games_of

FOLDER: Final = Path(__file__).parents[2] / "docs" / "vectors"
SEEDS: Final = (
    bytes(32),
    bytes(range(32)),
    bytes.fromhex("55c6d491cadd4a29fdd0b1e3746af34c10687b4e629828cdb0afe78efb537f78"),
    b"\xff" * 32,
)
NUMBERS: Final = (1, 42, 9_999_999)
#: Interval, in tokens of a line, at which a position is written.
EVERY: Final = 20


def vectors(variant: Variant) -> dict[str, Any]:
    return {
        "variant": variant.name,
        "game": variant.game,
        "options": dict(variant.options),
        "rules": 1,
        "numbered": [{"number": number, "seed": numbered_deals.seed_of(variant, number).hex()} for number in NUMBERS],
        "deals": [_deal(variant, seed) for seed in SEEDS],
        "lines": [_line(game.title, game.record) for game in games_of(variant.name)],
    }


def _deal(variant: Variant, seed: bytes) -> dict[str, Any]:
    table = open_table(variant.name, seed)
    return {
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "deck": shuffled_deck(variant.name, seed),
        **_position(table),
    }


def _line(title: str, record: Record) -> dict[str, Any]:
    result = replay(record).to_json()
    result.get("failure", {}).pop("reason", None)  # the wording is for people and may change
    return {"title": title, "record": record.to_json(), "positions": list(_positions(record)), "result": result}


def _positions(record: Record) -> Iterator[dict[str, Any]]:
    """Yield positions of a record's line, as far as it is legal."""
    table = record.open_table()
    for count, token in enumerate(record.tokens, 1):
        if not (table.can_undo if token == "u" else table.is_legal(token)):
            break
        table.push(token)
        if count % EVERY == 0 or count == len(record.tokens):
            yield {"after": count, **_position(table)}


def _position(table: Table) -> dict[str, Any]:
    return {"position": table.position(), "cards_up": table.cards_up, "legal": sorted(table.legal_moves())}


def text_of(name: str) -> str:
    """Return the text of a variant's file: each deal, line and number on one line."""
    parts = [f'"{key}": {_written(value)}' for key, value in vectors(CATALOGUE[name]).items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _written(value: object) -> str:
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"


def races_text() -> str:
    """Return the file of race commitments: a race's terms and seed, the hashed text, and the commitment."""
    facts: dict[str, Any] = {
        "race_id": UUID("3f0e8f0c-8b1f-4a55-8a39-0a3f6f1f0001"),
        "version": 1,
        "starts_at": datetime(2026, 11, 22, 3, 0, 0, 250_000, tzinfo=UTC),
    }
    options: dict[str, Any] = {"first_row": True, "draw": 1, "fool": "trump"}
    races = [
        race_terms(**facts, number=1, rated=True, name="plot", options=None, limit_s=1200),
        race_terms(**facts, number=12, rated=False, name="tarot", options=options, limit_s=300),
        race_terms(**facts, number=2, rated=True, name="stonewall", options=None, limit_s=900, free_undo=False),
    ]
    rows = []
    for terms, seed in zip(races, SEEDS, strict=False):
        deal = commitment(seed)
        text = race_text(terms, deal)
        shown = race_commitment(terms, deal)
        rows.append({"race": {**terms, "seed": seed.hex()}, "deal": deal, "text": text, "commitment": shown})
    return _written(rows) + "\n"


def write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in CATALOGUE:
        (FOLDER / f"{name}.json").write_text(text_of(name))
    (FOLDER / "race-commitments.json").write_text(races_text())


if __name__ == "__main__":
    write()
