"""Search process for one puzzle: `python -m games.puzzles.generation.puzzle_search`.

It reads one JSON line from standard input: {"variant": text, "positions": list}. The list has the positions of a lost
game, up to the last one that could be won. If it is empty, the search simulates games on random deals. If it finds a
puzzle, it writes it to standard output as JSON. It exits when standard input closes, and loads no settings.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from random import SystemRandom
from typing import Final

from games.puzzles.generation.generator import find_puzzle, puzzle_before, puzzle_near
from games.puzzles.puzzle import Puzzle

NICENESS: Final = 19
#: Simulated games of one search; starting a process costs as much as one or two.
GAMES: Final = 20


def search(variant: str, positions: Sequence[str]) -> Puzzle | None:
    """Return a puzzle from the end of these positions, or without any from simulated games."""
    if not positions:
        games = (find_puzzle(variant, SystemRandom()) for _ in range(GAMES))
        return next((puzzle for puzzle in games if puzzle is not None), None)
    return puzzle_before(variant, positions) or puzzle_near(variant, positions[-1])


def _end_with_parent() -> None:
    """Exit when standard input closes, even in the middle of a search."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    os.nice(NICENESS)
    found = search(request["variant"], request["positions"])
    if found is not None:
        sys.stdout.write(json.dumps(found.to_json()))
        sys.stdout.flush()
