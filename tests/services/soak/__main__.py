"""Command line of the soak (`python -m tests.services.soak`): run one soak, or one heat, and report."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from deploy.servers import Redis, postgres_programs
from tests.services.soak.attendance import AttendedHeat
from tests.services.soak.running import Wish, soak
from tests.services.stack import Stack

SHOWN = 40


def main() -> int:
    """Run one soak and report; the exit status is 1 if it found faults."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.services.soak",
        description="The production shape on servers of its own, with simulated players of daily games and races, who "
        "lose their networks, sleep and hide, while processes are killed, Redis is emptied, stopped and read-only, and "
        "the database is cut off, silent and crashes; then everything is compared with what the players were told.",
        epilog="Exit status: 0 nothing is wrong, 1 something is, 2 it could not be run.",
    )
    parser.add_argument("--minutes", type=float, default=10, help="how long they play (10)")
    parser.add_argument("--players", type=int, default=60, help="how many play at once, besides the racers (60)")
    parser.add_argument(
        "--seed", type=int, help="of deals, players and blows, to run one again; a random one otherwise"
    )
    parser.add_argument(
        "--heat", type=int, metavar="PLAYERS", help="hold one scheduled race instead; a third sleep, hide or drop out"
    )
    options = parser.parse_args()
    if options.minutes <= 0 or not 1 <= options.players <= 2000:
        parser.error("a soak takes some time and 1 to 2,000 players")
    if postgres_programs() is None or not Redis.is_installed():
        parser.error("PostgreSQL's server programs and redis-server must be installed")
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    home = Path(tempfile.mkdtemp(prefix="talon-soak-"))
    print(f"seed {seed}", flush=True)
    if options.heat:
        return _report(_heat(options.heat, seed, home), seed, home)
    wish = Wish(options.minutes * 60, seed, options.players)
    outcome = soak(wish, home, lambda text: print(text, flush=True))
    print(f"{len(outcome.games)} games, {outcome.tokens} tokens acknowledged; to the players: {dict(outcome.tally)}")
    print(f"blows: {dict(outcome.blows)}; verdicts: {dict(outcome.verdicts)}; races: {dict(outcome.races)}")
    return _report(outcome.faults, seed, home)


def _heat(players: int, seed: int, home: Path) -> list[str]:
    """Hold one scheduled race, print what happened, and return the faults."""
    stack = Stack(home)
    try:
        stack.start()
        attended = AttendedHeat(stack, players, seed).hold()
    finally:
        stack.stop()
    print(f"{players} players, of whom suffered: {dict(attended.fates)}")
    print(f"divisions of {attended.sizes}; {attended.tokens} tokens acknowledged")
    return attended.faults


def _report(faults: list[str], seed: int, home: Path) -> int:
    if not faults:
        shutil.rmtree(home)
        print("Nothing is lost and nothing is wrong.")
        return 0
    for fault in faults[:SHOWN]:
        print(f"WRONG: {fault}")
    print(f"{len(faults)} faults with seed {seed}; the logs are in {home}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
