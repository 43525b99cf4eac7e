"""Animated pictures: drawing time and size.

`python -m benchmarks.pictures [--seed TEXT] [game …]`; the exit code is 1 if a target is missed. For each game, 300
random legal moves are played, from a seed that is printed; more cards move than in a person's game. CPU time is
compared with that of Pillow alone, which reads and rewrites the same picture.
"""

from __future__ import annotations

import argparse
import io
import secrets
import statistics
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from random import Random

from PIL import Image, ImageSequence

from benchmarks.references import amount, announce, row
from games.replays.gif_drawing import animation
from games.rules import GAMES, End, Record, open_table

MOVES = 300
PILLOW_AIM = 0.4
MB_AIM = 3.0
ROUNDS = 3


def played(game: str, random: Random) -> Record:
    """Return a game of 300 moves, with undos if no move is left."""
    seed = random.randbytes(32)
    table = open_table(game, seed)
    tokens = []
    for _ in range(MOVES):
        legal = table.legal_moves()
        tokens.append(random.choice(legal) if legal else "u")
        table.push(tokens[-1])
    clock = tuple(range(1000, 1000 * (MOVES + 1), 1000))
    return Record(1, game, None, seed, tuple(tokens), clock, End("resigned", clock[-1]))


def measure(game: str, random: Random) -> bool:
    """Draw one game, print the figures, and return whether both targets are met."""
    record = played(game, random)
    picture = animation(record, "talon.example · 2026-01-01")
    drawing, writing = [], []
    for _ in range(ROUNDS):
        drawing.append(timed(lambda: animation(record, "talon.example · 2026-01-01")))
        writing.append(timed(lambda: rewrite(picture)))
    quick = row(
        f"{game}, {MOVES} moves", statistics.median(drawing), statistics.median(writing), "s", at_most=PILLOW_AIM
    )
    return amount(f"{game}, size", len(picture) / 1e6, "MB", at_most=MB_AIM) and quick


def rewrite(picture: bytes) -> None:
    """Read and write the same picture with Pillow alone."""
    with Image.open(io.BytesIO(picture)) as image:
        first, *others = (frame.copy() for frame in ImageSequence.Iterator(image))
    first.save(io.BytesIO(), "GIF", save_all=True, append_images=others)


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> int:
    """Measure the named games, by default all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("games", nargs="*", default=list(GAMES))
    options = parser.parse_args()
    announce()
    print(f"--seed {options.seed}")
    reached = [measure(game, Random(sha256(f"{options.seed} {game}".encode()).digest())) for game in options.games]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
