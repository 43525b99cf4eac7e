"""Reference work for benchmarks, and the printed rows with ratios.

A target that depends on the machine's speed is a ratio to a reference of the same kind of work, measured in turns with
it in the same run. Only machine-independent figures, such as bytes, counts and shares, have absolute targets.

The targets of times that used to be absolute come from small runs on a busy machine with two cores. They exceed the
ratio seen there by at least a third, most of them twofold or more. Other targets are older.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TextIO

import chess
from celery import shared_task

ROUNDS: Final = 5
MILLION: Final = 1_000_000
#: Settings that switch off a part of the site if 0, with the part's name.
SWITCHES: Final = {
    "LADDERS": "ladders",
    "SEALED_STOCK": "the stock of certified deals",
    "DEAL_PATIENCE": "certification of the day's deals",
}
#: Units of absolute targets; none of them depends on the speed of the machine.
UNITS: Final = frozenset({"KiB", "MiB", "KB", "MB", "bytes/s", "errors", "undecided", "readings", "%"})


def announce(environment: Mapping[str, str] | None = None, *without: str, file: TextIO | None = None) -> None:
    """Print the first line of a benchmark: "defaults", or the parts that are switched off.

    `environment` is the environment of the measured site; `without` names parts that are not started.
    """
    found = [name for switch, name in SWITCHES.items() if (environment or {}).get(switch) == "0"]
    off = ", ".join([*found, *without])
    print(f"switched off: {off}" if off else "defaults", file=file or sys.stdout, flush=True)


def verdict(*, met: bool) -> str:
    """Return the word for a target that is met or missed."""
    return "ok" if met else "MISSED"


def row(
    what: str, value: float, reference: float, unit: str, *, at_most: float = float("inf"), at_least: float = 0.0
) -> bool:
    """Print a figure, its reference and their ratio; return whether the ratio meets its target."""
    ratio = value / reference
    met = at_least <= ratio <= at_most
    target = f"at least {at_least:g}" if at_least else f"at most {at_most:g}"
    figures = f"{value:>12,.3f} {unit:<3} beside {reference:>12,.3f}   x {ratio:7.2f}"
    print(f"{what:<42} {figures}   target {target}   {verdict(met=met)}", flush=True)
    return met


def amount(what: str, value: float, unit: str, *, at_most: float) -> bool:
    """Print a count, size or share; return whether it meets its target.

    :raises ValueError: if the unit depends on the speed of the machine.
    """
    if unit not in UNITS:
        raise ValueError(f"a target in {unit} depends on the machine: compare with a reference instead")
    met = value <= at_most
    print(f"{what:<42} {value:>12,.1f} {unit:<9}   target at most {at_most:g}   {verdict(met=met)}", flush=True)
    return met


def in_turns(calls: Mapping[str, Callable[[], object]], rounds: int, *, warm_up: int = 1) -> dict[str, float]:
    """Return the median seconds of each call, all of them made in turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(warm_up + rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            if number >= warm_up:
                times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(found) for name, found in times.items()}


def per_second(work: Callable[[], int], *, rounds: int = ROUNDS) -> float:
    """Return the amount of a function's work per CPU second of this process: the median of some rounds."""
    rates = []
    for _ in range(rounds):
        begun = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - begun))
    return statistics.median(rates)


# --- CPU: the `chess` library ----------------------------------------------------------------------------------------


class Chess:
    """Random games of `chess`, the reference for CPU work."""

    GAMES, LONGEST = 15, 300

    def __init__(self) -> None:
        self._games = [self._random(number) for number in range(self.GAMES)]
        self._written = [[move.uci() for move in game] for game in self._games]
        self._count = sum(map(len, self._games))

    def _random(self, number: int) -> list[chess.Move]:
        choose = random.Random(number)
        board = chess.Board()
        while len(board.move_stack) < self.LONGEST and (legal := list(board.legal_moves)):
            board.push(choose.choice(legal))
        return board.move_stack

    def push(self) -> int:
        """Read and push the moves of all games; return how many."""
        for game in self._written:
            board = chess.Board()
            for move in game:
                board.push_uci(move)
        return self._count

    def generate(self) -> int:
        """List the legal moves before each move of all games; return how many moves."""
        for game in self._games:
            board = chess.Board()
            for move in game:
                list(board.legal_moves)
                board.push(move)
        return self._count

    def open(self) -> int:
        """Set up boards; return how many."""
        for _ in range(self._count):
            chess.Board()
        return self._count

    def million(self, *, rounds: int = 1) -> float:
        """Return the CPU seconds of a million moves."""
        return MILLION / per_second(self.push, rounds=rounds)


# --- Database and queue ----------------------------------------------------------------------------------------------

INSERT: Final = "INSERT INTO benchmark_commit DEFAULT VALUES"
_IS_THERE: Final = "SELECT count(*) FROM benchmark_commit"


def make_table() -> None:
    """Create the table of the reference that commits."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE benchmark_commit (id bigserial PRIMARY KEY)")


@shared_task(name="benchmark.commit", ignore_result=True)  # type: ignore[untyped-decorator]
def commit() -> None:
    """Commit one row: the reference for tasks."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(INSERT)


def committed() -> int:
    """Return the number of committed rows."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_IS_THERE)
        count: int = cursor.fetchone()[0]
    return count


def commits(count: int, queue: str, *, every: float) -> float:
    """Have a worker commit `count` rows, one per task; return the seconds, polling every `every` s."""
    wanted = committed() + count
    begun = time.perf_counter()
    for _ in range(count):
        commit.apply_async(queue=queue)
    while committed() < wanted:
        time.sleep(every)
    return time.perf_counter() - begun


# --- Messages --------------------------------------------------------------------------------------------------------


async def bare_p99(frames: Sequence[str]) -> float:
    """Send prepared frames to all players at once; return the p99 of seconds until one is read."""
    found = []
    for _ in range(ROUNDS):
        due, late = time.time() + 0.5, []
        await asyncio.sleep(due - time.time())
        for frame in frames:
            json.loads(frame)
            late.append(time.time() - due)
        found.append(sorted(late)[len(late) * 99 // 100])
    return statistics.median(found)
