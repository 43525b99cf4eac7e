"""Command line of the race of the day under faults (`python -m tests.services.racing`): run one race and report."""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from deploy.servers import Redis, postgres_programs
from tests.rules.winning import winning_lines
from tests.services.racing.meeting import Meeting, Wish
from tests.services.stack import Stack

SHOWN = 40
VARIANTS = ("labyrinth", "stonewall")


def main() -> int:
    """Run one race and report; the exit status is 1 if it found faults."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.services.racing",
        description="One race of the day on two web and two table processes with servers of its own, while processes "
        "are killed, Redis is emptied and players lose their connections; then moves, places, points, podium, standing "
        "and ratings are compared with what the players were told and with a fresh computation from the records.",
        epilog="Exit status: 0 nothing is wrong, 1 something is, 2 it could not be run.",
    )
    parser.add_argument("--players", type=int, default=64, help="how many race (64)")
    parser.add_argument("--seed", type=int, help="of the deal, players and faults, to run one again")
    options = parser.parse_args()
    if not 16 <= options.players <= 512:
        parser.error("16 to 512 players can race")
    if postgres_programs() is None or not Redis.is_installed():
        parser.error("PostgreSQL's server programs and redis-server must be installed")
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    home = Path(tempfile.mkdtemp(prefix="talon-heat-"))
    print(f"seed {seed}", flush=True)
    faults = hold(options.players, seed, home)
    if not faults:
        shutil.rmtree(home)
        print("No acknowledged move is lost, all places equal a fresh computation, and nothing else is wrong.")
        return 0
    for fault in faults[:SHOWN]:
        print(f"WRONG: {fault}")
    print(f"{len(faults)} faults with seed {seed}; the logs are in {home}")
    return 1


def hold(players: int, seed: int, home: Path) -> list[str]:
    """Hold a race in an empty directory, print its figures, and return its faults."""
    choose = random.Random(seed)
    variant = choose.choice(VARIANTS)
    deal, line = choose.choice(winning_lines(variant))
    stack = Stack(home)
    try:
        print("starting PostgreSQL, Redis, two web processes, two of tables, workers and beat", flush=True)
        stack.start()
        stack.start_beat()
        print(f"{players} players race at {variant}", flush=True)
        begun = time.monotonic()
        meeting = Meeting(stack, Wish.gathering(players, variant, deal, line), choose)
        asyncio.run(meeting.hold())
        faults = meeting.faults() + [f"{name} ended by itself" for name in stack.ended()]
    finally:
        stack.stop()
    trouble = meeting.trouble
    print(
        f"{len(meeting.divisions)} divisions in {time.monotonic() - begun:.0f} s; faults dealt: {dict(trouble.dealt)}"
    )
    print(f"connections lost: {trouble.lost.total()}, by {len(trouble.lost)} of {players} players")
    print(f"{meeting.acknowledged} moves acknowledged")
    return faults


if __name__ == "__main__":
    sys.exit(main())
