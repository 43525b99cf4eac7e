"""`python -m games.hints.search`: one search in a process of its own, which can be killed and holds up nobody.

Standard input is {"position": text, "nodes": number, "seconds": number}; standard output {"answer": "yes", "no" or
"unknown", "way": tokens}. The position is not an argument because every user of a machine can read command lines.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from games.rules import from_position
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.shorten import shorten

NICENESS = 10
#: Tokens to push while shortening the line: a second at most.
SHORTENING = 50_000


def search(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one question."""
    table = from_position(asked["position"])
    found = solve(table, Budget(nodes=asked["nodes"], seconds=asked["seconds"], memory=256))
    if isinstance(found, Solution):
        return {"answer": "yes", "way": list(shorten(table, found.tokens, work=SHORTENING))}
    return {"answer": "no" if isinstance(found, Unwinnable) else "unknown", "way": []}


if __name__ == "__main__":
    os.nice(NICENESS)
    json.dump(search(json.load(sys.stdin)), sys.stdout)
