"""`python -m games.hints.search`: searches in a process of its own, which can be killed and holds up no other work.

Each line of standard input is {"position": text, "nodes": number, "seconds": number of CPU or null}, answered by a line
{"answer": "yes", "no" or "unknown", "way": tokens}. The position is not an argument because every user of a machine can
read command lines.

Until the first question, the searches of all games are loaded; the process ends when no question comes for long.
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
from games.solver.shorten import shorten

NICENESS: Final = 10
#: Tokens to push while shortening the line: a second at most.
SHORTENING: Final = 50_000
#: Seconds until a process without questions ends.
IDLE: Final = 600.0


def search(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question."""
    table = from_position(question["position"])
    load_search(table)
    latest = None if question["seconds"] is None else time.process_time() + question["seconds"]

    def is_used_up() -> bool:
        return latest is not None and time.process_time() >= latest

    found = solve(table, Budget(nodes=question["nodes"], memory=256), cancel=is_used_up)
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
    """Answer one question after another."""
    os.nice(NICENESS)
    load()
    while is_asked(IDLE) and (line := sys.stdin.readline()):
        print(json.dumps(search(json.loads(line))), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
