"""The embedded site: start time, memory and moves: `python -m benchmarks.embedded`.

It runs with a player's default settings, including certification of deals, without the compiled search, which `make
run` does not install. Moves are measured without worker and beat.

The start is from the start of the interpreter to the answer of the home page, on an empty directory and again on the
same one. It is compared with a bare Django project with the same applications (`benchmarks.bare_parts`), which migrates
an empty database and answers one request, in turns with it. The memory is that of all processes, each shared page
counted once: after that page, and at most in the half minute that follows, while deals are certified. Then durable
moves on SQLite, by players who each send the next when the last is acknowledged, in turns with echoes of the same
server that commit a row each. Exit code 1 when an aim is missed.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.play import Load
from benchmarks.references import amount, announce, row

ROUNDS = 5
RATIO_AIM = 1.5
MIB_AIM = 150.0
CERTIFYING_AIM = 200.0
CERTIFYING_SECONDS = 30.0
TALON = "config.processes.embedded"
BARE = "benchmarks.bare_parts"
#: Enough players that none reaches the rate limit of messages.
PLAYERS = 150
PLAY_SECONDS = 3.0
PLAY_ROUNDS = 3
#: Rate and p99 of moves, relative to echoes that each commit a row.
RATE_AIM = 1.0
P99_AIM = 0.8


def main() -> int:
    """Measure and compare."""
    announce(None, "the compiled search", "worker and beat during the moves")
    first, again, bare = [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as var:
            bare.append(start(BARE, var).seconds)
            first.append(start(TALON, var))
            again.append(start(TALON, var))
    with tempfile.TemporaryDirectory() as var:
        certifying = start(TALON, var, watched=CERTIFYING_SECONDS)
    with tempfile.TemporaryDirectory() as var:
        moves, echoes = play(var)
    beside = statistics.median(bare)
    reached = [
        row("up, empty directory, beside bare Django", median_of(first), beside, "s", at_most=RATIO_AIM),
        row("up, the next time, beside bare Django", median_of(again), beside, "s", at_most=RATIO_AIM),
        amount("memory, after a page", max(each.mib for each in first + again), "MiB", at_most=MIB_AIM),
        amount("memory, certifying", certifying.most_mib, "MiB", at_most=CERTIFYING_AIM),
        row(f"moves of {PLAYERS} beside durable echoes", moves["rate"], echoes["rate"], "/s", at_least=RATE_AIM),
        row("p99 of a move beside theirs", moves["p99"], echoes["p99"], "ms", at_most=P99_AIM),
    ]
    return int(not all(reached))


def median_of(starts: list[Start]) -> float:
    """The median seconds of some starts."""
    return statistics.median(each.seconds for each in starts)


def embedded_environment(var: str) -> dict[str, str]:
    """Return the environment without servers, otherwise as players have it."""
    backends = ("DATABASE_URL", "REDIS_URL", "PUBLIC_URL")
    environment = {name: value for name, value in os.environ.items() if name not in backends}
    return {**environment, "VAR_DIR": var, "PORT": "0", "TALON_NO_NUMBA": "1"}


def play(var: str) -> list[dict[str, Any]]:
    """Moves and durable echoes of many players: how many a second, and how long until each is acknowledged."""
    environment = embedded_environment(var)
    part = [sys.executable, "-m", "benchmarks.play_parts"]
    players = json.loads(subprocess.check_output([*part, "players", str(PLAYERS)], env=environment))
    with subprocess.Popen([*part, "serve"], env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            load = Load(int(server.stdout.readline()), server.pid, players)
            return load.in_turns(["play", "durable"], PLAY_ROUNDS, PLAY_SECONDS)
        finally:
            server.terminate()


class Start(NamedTuple):
    """A start: seconds until the first page, memory then, and its maximum while watched."""

    seconds: float
    mib: float
    most_mib: float


def start(module: str, var: str, *, watched: float = 0) -> Start:
    """Start a server, load a page, watch it for this many seconds, and stop it."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", module], env=embedded_environment(var), stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
        with urllib.request.urlopen(address) as page:
            page.read()
        seconds = time.perf_counter() - begun
        mib = most = memory(server.pid)
        while time.perf_counter() < begun + seconds + watched:
            time.sleep(0.25)
            most = max(most, memory(server.pid))
        server.terminate()
        server.communicate()
    return Start(seconds, mib, most)


def memory(pid: int) -> float:
    """Return the memory of a process and its children in MiB, counting shared pages once; 0 if it has just ended."""
    with suppress(OSError):
        children = [
            child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
        ]
        found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
        return (int(found[1]) / 1024 if found else 0.0) + sum(memory(int(child)) for child in children)
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
