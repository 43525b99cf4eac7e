"""The production shape on this machine: two ASGI processes, three Celery workers and beat (`make stack`)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from deploy.procfile import commands

ROOT = Path(__file__).resolve().parent.parent
STOP_SECONDS = 20
READY_SECONDS = 30


class Stack:
    """Child processes that start and end together."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._children: dict[str, subprocess.Popen[str]] = {}
        self._stopping = threading.Event()

    def run_once(self, command: list[str]) -> None:
        """Run a command to its end.

        :raises SystemExit: when it fails, or a stop is requested meanwhile.
        """
        child = subprocess.Popen(_here(command), cwd=ROOT, env=self._environment, start_new_session=True)
        while child.poll() is None:
            if self._stopping.wait(0.05):
                child.terminate()
                child.wait()
        if self._stopping.is_set():
            sys.exit(0)
        if child.returncode:
            sys.exit(f"`{' '.join(command)}` failed; see above.")

    def start(self, name: str, command: list[str], **variables: str) -> None:
        """Start a process, and print its output under its name.

        Each process has its own session, so that Ctrl-C reaches only this one, which then stops the others in order.
        """
        child = subprocess.Popen(
            _here(command),
            cwd=ROOT,
            env={**self._environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._children[name] = child
        threading.Thread(target=_print_lines, args=(name, child), daemon=True).start()

    def await_ready(self, addresses: list[str]) -> None:
        """Wait until every address answers /readyz with 200, a process ends, or the time is up."""
        latest = time.monotonic() + READY_SECONDS
        waiting = list(addresses)
        while waiting and not self._ended() and not self._stopping.is_set():
            if time.monotonic() > latest:
                _say(f"Not ready after {READY_SECONDS} s: {', '.join(waiting)}")
                return
            waiting = [address for address in waiting if not _answers(f"{address}/readyz")]
            self._stopping.wait(0.1)
        if not waiting:
            _say(f"Talon is ready at {' and '.join(addresses)} - stop it with Ctrl-C.")

    def wait(self) -> int:
        """Wait for Ctrl-C, SIGTERM or the end of a process, then stop all; returns 1 when a process ended by itself."""
        while not self._stopping.wait(0.2):
            if ended := self._ended():
                _say(f"{ended} has ended; stopping the others.")
                break
        failed = not self._stopping.is_set()
        self._stop()
        return int(failed)

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler: request the stop."""
        self._stopping.set()

    def _ended(self) -> str:
        return next((name for name, child in self._children.items() if child.poll() is not None), "")

    def _stop(self) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
        latest = time.monotonic() + STOP_SECONDS
        for name, child in self._children.items():
            try:
                child.wait(max(0.1, latest - time.monotonic()))
            except subprocess.TimeoutExpired:
                _say(f"{name} did not stop in {STOP_SECONDS} s and is killed.")
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def _here(command: list[str]) -> list[str]:
    """The command, taken from this process's own Python environment."""
    program = Path(sys.executable).with_name(command[0])
    return [str(program) if program.exists() else command[0], *command[1:]]


def _print_lines(name: str, child: subprocess.Popen[str]) -> None:
    for line in child.stdout or ():
        _say(line.rstrip("\n"), name)


def _say(text: str, name: str = "stack") -> None:
    print(f"{name:<7}| {text}", flush=True)  # noqa: T201


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def stack_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the child processes.

    :raises SystemExit: when PostgreSQL or Redis is not configured.
    """
    database, redis = environment.get("DATABASE_URL", ""), environment.get("REDIS_URL", "")
    if not database.startswith(("postgres://", "postgresql://")) or not redis.startswith(("redis://", "rediss://")):
        sys.exit(
            "`make stack` needs running servers, for example:\n"
            "  DATABASE_URL=postgres://postgres@127.0.0.1:5432/talon REDIS_URL=redis://127.0.0.1:6379/0 make stack\n"
            "Without any server use `make run`."
        )
    return {**environment, "COLLECTED_STATIC": environment.get("COLLECTED_STATIC", "1"), "PYTHONUNBUFFERED": "1"}


def main() -> int:
    """Run the stack until it is stopped."""
    host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    addresses = [f"http://{host}:{port}", f"http://{host}:{port + 1}"]
    environment = stack_environment(os.environ)
    environment.setdefault("PUBLIC_URL", addresses[0])
    metrics = Path(tempfile.mkdtemp(prefix="talon-metrics-"))
    environment.setdefault("PROMETHEUS_MULTIPROC_DIR", str(metrics))
    stack, lines = Stack(environment), commands()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stack.interrupt)
    try:
        stack.run_once(lines["release"])
        stack.run_once(lines["static"])
        stack.start("web-1", lines["web"], PORT=str(port))
        stack.start("web-2", lines["web"], PORT=str(port + 1))
        stack.start("worker", lines["worker"])
        stack.start("keeper", lines["keeper"], METRICS_PORT="0")  # the worker serves those of both
        stack.start("analyst", lines["analyst"], METRICS_PORT="0")
        stack.start("beat", lines["beat"])
        stack.await_ready(addresses)
        return stack.wait()
    finally:
        shutil.rmtree(metrics, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
