"""How soon the embedded server is up, how much memory it takes, and how it plays: `python -m benchmarks.embedded`.

From the start of the interpreter to the answer of the home page, on an empty directory (tables are made) and again on
the same one; the memory is the resident set after that page. Then durable moves on SQLite, by players who each send the
next when the last is acknowledged. Exit code 1 when an aim is missed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.play import Load

ROUNDS = 3
SECONDS_AIM = 3.0
MIB_AIM = 150.0
PLAYERS = 100
PLAY_SECONDS = 3.0
RATE_AIM = 300.0
P99_AIM = 300.0
MIB = 1024 * 1024


def main() -> int:
    """Measure and compare."""
    first, again = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as var:
            first.append(start(var))
            again.append(start(var))
    with tempfile.TemporaryDirectory() as var:
        played = play(var)
    figures = {
        "up, empty directory": (statistics.median(seconds for seconds, _ in first), "s", SECONDS_AIM),
        "up, the next time": (statistics.median(seconds for seconds, _ in again), "s", SECONDS_AIM),
        "resident memory": (max(mib for _, mib in first + again), "MiB", MIB_AIM),
    }
    figures[f"move of {PLAYERS}, p99"] = (played["p99"], "ms", P99_AIM)
    for what, (value, unit, aim) in figures.items():
        print(f"{what:<20} {value:7.2f} {unit:<4} aim {aim:g} or less  {'ok' if value <= aim else 'MISSED'}")
    quick = played["rate"] >= RATE_AIM
    print(f"{'moves a second':<20} {played['rate']:7.0f}      aim {RATE_AIM:g} or more  {'ok' if quick else 'MISSED'}")
    return int(not quick or any(value > aim for value, _, aim in figures.values()))


def embedded_environment(var: str) -> dict[str, str]:
    """The environment without any server, and with nothing computed beside."""
    backends = ("DATABASE_URL", "REDIS_URL", "PUBLIC_URL")
    kept = {name: value for name, value in os.environ.items() if name not in backends}
    return {**kept, "VAR_DIR": var, "PORT": "0", "SEALED_STOCK": "0"}


def play(var: str) -> dict[str, Any]:
    """Moves of a few dozen players: how many a second, and how long until each is acknowledged."""
    environment = embedded_environment(var)
    part = [sys.executable, "-m", "benchmarks.play_parts"]
    players = json.loads(subprocess.check_output([*part, "players", str(PLAYERS)], env=environment))
    with subprocess.Popen([*part, "serve"], env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            return Load(int(server.stdout.readline()), server.pid, players).run("play", PLAY_SECONDS)
        finally:
            server.terminate()


def start(var: str) -> tuple[float, float]:
    """Start the server, load the home page, stop it: seconds until the page was there, MiB resident then."""
    environment = embedded_environment(var)
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "config.embedded"], env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
        with urllib.request.urlopen(address) as page:
            page.read()
        seconds = time.perf_counter() - begun
        mib = resident(server.pid)
        server.terminate()
        server.communicate()
    return seconds, mib


def resident(pid: int) -> float:
    """The resident set of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


if __name__ == "__main__":
    sys.exit(main())
