"""Whole games kept for ever: a record of each, in both its forms, and what it comes to.

There is one file for each variant of the catalogue, and `options` for the combinations of options that have no name.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games.rules import Record
from tests.rules.reference import VARIANTS, SlowTable, shuffled

FOLDER = Path(__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.json"))


@dataclass(frozen=True)
class Game:
    """One game: what it shows, its record as JSON, as stored and as read, and the result expected of replaying it."""

    title: str
    text: dict[str, Any]
    packed: bytes
    record: Record
    expected: dict[str, Any]

    @property
    def stuck(self) -> bool:
        return bool(self.expected["stuck"])

    def open_slow(self) -> SlowTable:
        """Deal the record's table with the slow reading of the rules."""
        name, options = self.record.name, self.record.options
        if options is None:
            name, named = VARIANTS[name]
            options = dict(named)
        return SlowTable(name, shuffled(name, self.record.seed), options)


def games_of(name: str) -> list[Game]:
    return [
        Game(
            title=entry["title"],
            text=entry["record"],
            packed=base64.b64decode(entry["packed"]),
            record=Record.from_json(entry["record"]),
            expected=entry["expected"],
        )
        for entry in json.loads((FOLDER / f"{name}.json").read_text())
    ]
