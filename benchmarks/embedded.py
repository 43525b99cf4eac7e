"""The embedded site: start time, memory and moves: `python -m benchmarks.embedded`.

It runs with a player's default settings, including certification of deals, without the compiled search, which `make
run` does not install. Moves are measured without worker and beat.

Start time is from the interpreter's start to the answer of the home page, with an empty folder and again with the same
one. It is compared, in turns, with a bare Django project with the same applications (`benchmarks.bare_parts`), which
migrates an empty database and answers one request. Memory is that of all processes, with each shared page counted once:
after that page, and the maximum in the following half minute, while deals are certified. Then players make durable
moves on SQLite, each sending the next one when the last is acknowledged. The exit code is 1 if a target is missed.
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

ROUNDS = 5
RATIO_AIM = 1.5
MIB_AIM = 150.0
CERTIFYING_AIM = 200.0
CERTIFYING_SECONDS = 30.0
TALON = "config.embedded"
BARE = "benchmarks.bare_parts"
PLAYERS = 100
PLAY_SECONDS = 3.0
RATE_AIM = 300.0
P99_AIM = 300.0


def main() -> int:
    """Measure and compare."""
    first, again, bare = [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as var:
            bare.append(start(BARE, var).seconds)
            first.append(start(TALON, var))
            again.append(start(TALON, var))
    with tempfile.TemporaryDirectory() as var:
        certifying = start(TALON, var, watched=CERTIFYING_SECONDS)
    with tempfile.TemporaryDirectory() as var:
        played = play(var)
    beside = statistics.median(bare)
    figures = {
        "up, empty directory": (statistics.median(each.seconds for each in first) / beside, "x bare", RATIO_AIM),
        "up, the next time": (statistics.median(each.seconds for each in again) / beside, "x bare", RATIO_AIM),
        "memory, after a page": (max(each.mib for each in first + again), "MiB", MIB_AIM),
        "memory, certifying": (certifying.most_mib, "MiB", CERTIFYING_AIM),
        f"move of {PLAYERS}, p99": (played["p99"], "ms", P99_AIM),
    }
    print(f"a bare Django project is up after {beside:.2f} s")
    for what, (value, unit, aim) in figures.items():
        print(f"{what:<20} {value:7.2f} {unit:<6} aim {aim:g} or less  {'ok' if value <= aim else 'MISSED'}")
    quick = played["rate"] >= RATE_AIM
    print(
        f"{'moves a second':<20} {played['rate']:7.0f}        aim {RATE_AIM:g} or more  {'ok' if quick else 'MISSED'}"
    )
    return int(not quick or any(value > aim for value, _, aim in figures.values()))


def embedded_environment(var: str) -> dict[str, str]:
    """Return the environment without servers, otherwise as players have it."""
    backends = ("DATABASE_URL", "REDIS_URL", "PUBLIC_URL")
    kept = {name: value for name, value in os.environ.items() if name not in backends}
    return {**kept, "VAR_DIR": var, "PORT": "0", "TALON_NO_NUMBA": "1"}


def play(var: str) -> dict[str, Any]:
    """Have a few dozen players move; return moves per second, and the time until each is acknowledged."""
    environment = embedded_environment(var)
    part = [sys.executable, "-m", "benchmarks.play_parts"]
    players = json.loads(subprocess.check_output([*part, "players", str(PLAYERS)], env=environment))
    with subprocess.Popen([*part, "serve"], env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            return Load(int(server.stdout.readline()), server.pid, players).run("play", PLAY_SECONDS)
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
