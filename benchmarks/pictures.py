"""Animated pictures: how long one takes to draw, and how large it is.

`python -m benchmarks.pictures [--seed TEXT] [game …]`; exit code 1 when an aim is missed. For each game 300 legal moves
are played at random, from a seed that is printed: more cards come and go than in a person's game.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from hashlib import sha256
from random import Random

from games.replays.drawing import animation
from games.rules import GAMES, End, Record, open_table

MOVES = 300
SECONDS_AIM = 5.0
BYTES_AIM = 3_000_000


def played(game: str, random: Random) -> Record:
    """A game of 300 moves, taken back where none is left."""
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
    """Draw one game and print what that took; returns whether both aims are reached."""
    record = played(game, random)
    begun = time.perf_counter()
    size = len(animation(record, "talon.example · 2026-01-01"))
    took = time.perf_counter() - begun
    reached = took <= SECONDS_AIM and size <= BYTES_AIM
    speed, weight = f"{took:5.2f} s (aim {SECONDS_AIM:g})", f"{size / 1e6:5.2f} MB (aim {BYTES_AIM / 1e6:g})"
    print(f"{game:<10} {MOVES} moves   {speed}   {weight}   {'ok' if reached else 'MISSED'}")
    return reached


def main() -> int:
    """Measure the games that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("games", nargs="*", default=list(GAMES))
    options = parser.parse_args()
    print(f"--seed {options.seed}")
    reached = [measure(game, Random(sha256(f"{options.seed} {game}".encode()).digest())) for game in options.games]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
