"""Search subprocess, `python -m games.hints.search_process`: it can be killed, and blocks no other work.

Each line of standard input is {"position": text, "nodes": number, "seconds": CPU seconds or null}, answered by a line
{"answer": "yes", "no" or "unknown", "way": tokens}. The position is not passed as an argument because every user of a
machine can read command lines.

The process preloads the solvers of all games until the first question arrives, and exits after `IDLE` seconds without
one.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any, Final

from games.rules import CATALOGUE, from_position, open_table
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver import load as load_search
from games.solver.quick_shortening import shorten

NICENESS: Final = 10
#: Tokens that shortening a line may push: a second at most.
SHORTENING: Final = 50_000
#: Seconds after which an idle process exits.
IDLE: Final = 600.0


def search(question: dict[str, Any]) -> dict[str, Any]:
    """Search one position and return the answer."""
    table = from_position(question["position"])
    load_search(table)
    latest = None if question["seconds"] is None else time.process_time() + question["seconds"]

    def is_used_up() -> bool:
        return latest is not None and time.process_time() >= latest

    result = solve(table, Budget(nodes=question["nodes"], memory=256), cancel=is_used_up)
    if isinstance(result, Solution):
        return {"answer": "yes", "way": list(shorten(table, result.tokens, work=SHORTENING))}
    return {"answer": "no" if isinstance(result, Unwinnable) else "unknown", "way": []}


def has_input(seconds: float) -> bool:
    """Return whether input, or its end, arrives within `seconds`."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def load() -> None:
    """Preload the solvers until the first question arrives."""
    for variant in {variant.game: name for name, variant in CATALOGUE.items()}.values():
        if has_input(0):
            return
        solve(open_table(variant, bytes(32)), Budget(nodes=1, memory=16))


def main() -> None:
    """Answer one question after another."""
    os.nice(NICENESS)
    load()
    while has_input(IDLE) and (line := sys.stdin.readline()):
        print(json.dumps(search(json.loads(line))), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
