"""Run the site's commands as subprocesses."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (
    *("DATABASE_URL", "REDIS_URL", "PUBLIC_URL", "SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "LOG_LEVEL", "LOG_FORMAT"),
    *(
        "SEALED_STOCK",
        "DEAL_PATIENCE",
        "RELEASE_PATIENCE",
        "PUZZLE_STOCK",
        "STARTER_DEALS",
        "VAPID_PRIVATE_KEY",
        "PUSH_SERVICES",
    ),
    "WEBHOOK_SERVICES",
    *("REPLICA_URLS", "REPLICA_LAG", "SHAPE", "WEB_PROCESSES", "TABLES_PROCESSES", "TABLES_ELSEWHERE"),
    *("COLLECTED_STATIC", "METRICS_TOKEN", "METRICS_PORT", "HOST", "PORT", "VAR_DIR", "DJANGO_SETTINGS_MODULE"),
)


def environment(var: Path, **variables: str) -> dict[str, str]:
    """Return this process's environment without the site's settings, with `var` as state folder and `variables`.

    Deals are dealt at once and unproven, because the search for proofs would slow down the tests.
    """
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    quick = {"SEALED_STOCK": "0", "DEAL_PATIENCE": "0", "PUZZLE_STOCK": "0", "PYTHONUNBUFFERED": "1"}
    return {**kept, **quick, "VAR_DIR": str(var), **variables}


def run(*command: str, var: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(var, **variables),
        capture_output=True,
        text=True,
        timeout=600,  # for a busy machine; only a command that hangs takes this long
        check=False,
    )


class Process:
    """A running command whose output can be awaited."""

    def __init__(self, command: tuple[str, ...], var: Path, variables: dict[str, str]) -> None:
        self.child = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment(var, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.output: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.child.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def await_line(self, pattern: str, seconds: float = 300) -> re.Match[str]:
        """Wait for the next line of output that matches."""
        latest = time.monotonic() + seconds
        while (remaining := latest - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=remaining)
            except queue.Empty:
                break
            if line is None:
                break
            self.output.append(line)
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"no line matching {pattern!r} in:\n{''.join(self.output)}")

    def stop(self, number: signal.Signals = signal.SIGTERM, seconds: float = 120) -> int:
        self.child.send_signal(number)
        status = self.child.wait(seconds)
        while (line := self._lines.get(timeout=5)) is not None:
            self.output.append(line)
        return status


@contextlib.contextmanager
def running(*command: str, var: Path, **variables: str) -> Iterator[Process]:
    """Start a command with this environment's Python; at the end, stop or kill it and its children."""
    process = Process(command, var, variables)
    try:
        yield process
    finally:
        if process.child.poll() is None:
            process.child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.child.wait(30)
            process.child.kill()
            process.child.wait()
        if process.child.stdout:
            process.child.stdout.close()
