"""The tests in random orders and under load: `python -m tests.orders`, or `make orders`.

No test may depend on another one, nor on the machine's speed. Every run says its seed;
`pytest --randomly-seed=N` has the same order again.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: A run that takes longer, even under load, hangs.
LONGEST_HOURS = 3
FOLDERS = sorted(
    f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("test_*.py"))
)


def main() -> int:
    """Run them; exit status 1 when any run failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.orders", description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", help="files or folders; all but tests/browser without any")
    parser.add_argument("--times", type=int, default=5, help="how many random orders (5)")
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 1), help="busy processes in the last run")
    asked = parser.parse_args()
    tests = asked.tests or ["tests/test_imports.py", *(name for name in FOLDERS if name != "tests/browser")]
    failed = []
    for number in range(asked.times + 1):
        seed = random.randrange(1_000_000)
        loaded = number == asked.times
        print(f"== order {seed}{f', with {asked.load} busy processes' if loaded else ''}", flush=True)
        with busy(asked.load if loaded else 0):
            command = [sys.executable, "-m", "pytest", "-q", f"--randomly-seed={seed}", *tests]
            if not passes(command):
                failed.append(seed)
    print(f"failed: {failed}" if failed else "Every order passed.")
    return int(bool(failed))


def passes(command: list[str]) -> bool:
    """Whether a run succeeds, and ends at all."""
    try:
        return subprocess.run(command, cwd=ROOT, check=False, timeout=LONGEST_HOURS * 3600).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"It has not ended within {LONGEST_HOURS} hours.", flush=True)
        return False


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep processors busy meanwhile."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
