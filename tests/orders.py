"""Test runs in random orders and under load: `python -m tests.orders`, or `make orders`.

No test may depend on another one, nor on the machine's speed. A failed run prints how to repeat its order and load; a
run that hangs is stopped after `--minutes` and counts as failed.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(
    f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("test_*.py"))
)
#: Seconds for a stopped run to end its servers and remove its databases.
TO_STOP = 60
#: Ends with the process that started it, however that process ends.
SPIN = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): sum(range(10**6))"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests in all orders; exit status 1 when any run failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.orders", description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", help="files or folders; all but tests/browser without any")
    parser.add_argument("--times", type=int, default=5, help="how many random orders before the one under load (5)")
    parser.add_argument("--load", type=int, help="busy processes in the last run (two for each processor)")
    parser.add_argument("--seed", type=int, help="this one order only, with --load busy processes or none")
    parser.add_argument("--minutes", type=float, default=90, help="after which a run is stopped (90)")
    asked = parser.parse_args(arguments)
    tests = asked.tests or ["tests/test_imports.py", *(name for name in FOLDERS if name != "tests/browser")]
    if asked.seed is None:
        most = 2 * (os.cpu_count() or 1) if asked.load is None else asked.load
        runs = [
            (random.randrange(1_000_000), most if number == asked.times else 0) for number in range(asked.times + 1)
        ]
    else:
        runs = [(asked.seed, asked.load or 0)]
    failed = []
    for seed, load in runs:
        print(f"== order {seed}{f', with {load} busy processes' if load else ''}", flush=True)
        if not passes(seed, load, tests, 60 * asked.minutes):
            failed.append(
                shlex.join(["python", "-m", "tests.orders", f"--seed={seed}", f"--load={load}", *asked.tests])
            )
    print("\n".join(["Failed; each again:", *failed]) if failed else "Every order passed.", flush=True)
    return int(bool(failed))


def passes(seed: int, load: int, tests: Sequence[str], seconds: float) -> bool:
    """Return whether the tests pass in this order and time, beside ``load`` busy processes."""
    command = [sys.executable, "-m", "pytest", "-q", f"--randomly-seed={seed}", *tests]
    with busy(load), subprocess.Popen(command, cwd=ROOT) as run:
        try:
            return run.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            print(f"stopped after {seconds / 60:g} minutes", flush=True)
            run.send_signal(signal.SIGINT)
            with_grace(run)
            return False
        except BaseException:
            with_grace(run)
            raise


def with_grace(run: subprocess.Popen[bytes]) -> None:
    """Wait a limited time for an interrupted run, then kill it."""
    try:
        run.wait(TO_STOP)
    except subprocess.TimeoutExpired:
        run.kill()


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep processors busy inside the context."""
    spin = [sys.executable, "-c", SPIN, str(os.getpid())]
    running = [subprocess.Popen(spin) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
