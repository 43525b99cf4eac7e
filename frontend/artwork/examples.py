"""Write the example games of the rules' pages, frontend/static/examples: ``python frontend/artwork/examples.py``.

Each is the first moves of a won game of the rules' golden records, in the form of a replay's steps.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from games.rules import GAMES, Record, Table  # noqa: E402 - found through the line above

GOLDEN = ROOT / "tests" / "rules" / "golden"
OUT = ROOT / "frontend" / "static" / "examples"
LENGTH = 48


def steps(game: str) -> dict[str, object]:
    """The first view of the game's won record, and what its first moves changed."""
    cases = json.loads((GOLDEN / f"{game}.json").read_text())
    record = Record.from_json(next(case["record"] for case in cases if case["record"]["end"]["how"] == "won"))
    table: Table = record.open_table()
    view = table.view()
    moved = []
    for n, token in enumerate(record.tokens[:LENGTH], start=1):
        table.push(token)
        moved.append({"n": n, "token": token, "ms": n * 2000, "changes": table.view_changes()})
    return {"view": view, "moved": moved}


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        (OUT / f"{game}.json").write_text(json.dumps(steps(game), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
