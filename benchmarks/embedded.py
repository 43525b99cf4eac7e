"""How soon the embedded server is up and how much memory it takes: `python -m benchmarks.embedded`.

From the start of the interpreter to the answer of the home page, on an empty directory (tables are made) and again on
the same one; the memory is the resident set after that page. Exit code 1 when an aim is missed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROUNDS = 3
SECONDS_AIM = 3.0
MIB_AIM = 150.0
MIB = 1024 * 1024


def main() -> int:
    """Measure and compare."""
    first, again = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as var:
            first.append(start(var))
            again.append(start(var))
    figures = {
        "up, empty directory": (statistics.median(seconds for seconds, _ in first), "s", SECONDS_AIM),
        "up, the next time": (statistics.median(seconds for seconds, _ in again), "s", SECONDS_AIM),
        "resident memory": (max(mib for _, mib in first + again), "MiB", MIB_AIM),
    }
    for what, (value, unit, aim) in figures.items():
        print(f"{what:<20} {value:7.2f} {unit:<4} aim {aim:g} or less  {'ok' if value <= aim else 'MISSED'}")
    return int(any(value > aim for value, _, aim in figures.values()))


def start(var: str) -> tuple[float, float]:
    """Start the server, load the home page, stop it: seconds until the page was there, MiB resident then."""
    backends = ("DATABASE_URL", "REDIS_URL", "PUBLIC_URL")
    kept = {name: value for name, value in os.environ.items() if name not in backends}
    environment = {**kept, "VAR_DIR": var, "PORT": "0", "SEALED_STOCK": "0"}
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
