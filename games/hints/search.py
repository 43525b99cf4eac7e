"""`python -m games.hints.search`: one search in a process of its own, which can be killed and holds up nobody.

Standard input is {"position": text, "nodes": number, "seconds": number}; standard output {"answer": "yes", "no" or
"unknown", "way": tokens}. The position is not an argument because every user of a machine can read command lines.

While nothing is asked, the searches of all games are loaded; the process ends when nothing is asked for long.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any, Final

from games.rules import CATALOGUE, from_position, open_table
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.shorten import shorten

NICENESS: Final = 10
#: Tokens to push while shortening the line: a second at most.
SHORTENING: Final = 50_000
#: Seconds until a process that nobody asks ends.
IDLE: Final = 600.0


def search(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question."""
    table = from_position(asked["position"])
    found = solve(table, Budget(nodes=asked["nodes"], seconds=asked["seconds"], memory=256))
    if isinstance(found, Solution):
        return {"answer": "yes", "way": list(shorten(table, found.tokens, work=SHORTENING))}
    return {"answer": "no" if isinstance(found, Unwinnable) else "unknown", "way": []}


def is_asked(seconds: float) -> bool:
    """Whether there is something to read within so many seconds, if only the end of the input."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def load() -> None:
    """Load the searches, until something is asked."""
    for variant in {variant.game: name for name, variant in CATALOGUE.items()}.values():
        if is_asked(0):
            return
        solve(open_table(variant, bytes(32)), Budget(nodes=1, memory=16))


def main() -> None:
    """Wait for the question, and answer it."""
    os.nice(NICENESS)
    load()
    if is_asked(IDLE) and (text := sys.stdin.read()):
        json.dump(search(json.loads(text)), sys.stdout)


if __name__ == "__main__":
    main()
