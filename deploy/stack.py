"""Production processes on this machine: a proxy, web processes, tables, three Celery workers and beat (`make stack`).

With `SHAPE=wide` it starts its own servers, several of each (`deploy.wide`), and a second beat. Without Caddy there is
one web process, which serves everything.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from deploy import proxy, wide
from deploy.procfile import commands

ROOT = Path(__file__).resolve().parent.parent
STOP_SECONDS = 20
READY_SECONDS = 30
LONGEST_PAUSE = 30.0  # before a process that keeps ending is started again


class Stack:
    """Child processes that start and stop together. Once all were ready, those that end are started again."""

    def __init__(self, environment: Mapping[str, str], stopping: threading.Event) -> None:
        self._environment = dict(environment)
        self._children: dict[str, subprocess.Popen[str]] = {}
        self._restarts: dict[str, Callable[[], None]] = {}
        self._pauses: dict[str, float] = {}
        self._due: dict[str, float] = {}
        self._is_ready = False
        self._stopping = stopping

    def run_once(self, command: list[str]) -> None:
        """Run a command to completion.

        :raises SystemExit: if it fails or the stack is stopped first.
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

        Each process has its own session, so Ctrl-C reaches only this one, which then stops the others in order.
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
        self._restarts[name] = lambda: self.start(name, command, **variables)
        threading.Thread(target=_print_lines, args=(name, child), daemon=True).start()

    def await_ready(self, address: str, inner: Sequence[str]) -> None:
        """Wait until the address and every /readyz answer with 200 or a process ends, reporting a long wait."""
        late, waiting = time.monotonic() + READY_SECONDS, [f"{address}/", *(f"{base}/readyz" for base in inner)]
        while waiting and not self._ended() and not self._stopping.is_set():
            if time.monotonic() > late:
                _log(f"Not ready after {READY_SECONDS} s: {', '.join(waiting)}")
                late = math.inf
            waiting = [url for url in waiting if not _answers(url)]
            self._stopping.wait(0.1)
        if not waiting:
            self._is_ready = True
            _log(f"Talon is ready at {address} - stop it with Ctrl-C. Its processes are at {' and '.join(inner)}.")

    def wait(self) -> int:
        """Wait for Ctrl-C or SIGTERM, then stop all. Return 1 if a process ended before the site was ready."""
        while not self._stopping.wait(0.2):
            ended = self._ended()
            if ended and not self._is_ready:
                _log(f"{' and '.join(ended)} ended before the site was ready, see above; stopping the others.")
                break
            for name in ended:
                self._restart_when_due(name)
        failed = not self._stopping.is_set()
        self._stop()
        return int(failed)

    def _restart_when_due(self, name: str) -> None:
        """Start a process again after a pause, which doubles each time."""
        if name not in self._due:
            pause = self._pauses[name] = min(2 * self._pauses.get(name, 0.5), LONGEST_PAUSE)
            self._due[name] = time.monotonic() + pause
            _log(f"{name} has ended with {self._children[name].returncode}; starting it again in {pause:.0f} s.")
        elif time.monotonic() >= self._due[name]:
            del self._due[name]
            self._restarts[name]()

    def _ended(self) -> list[str]:
        return [name for name, child in self._children.items() if child.poll() is not None]

    def _stop(self) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
        latest = time.monotonic() + STOP_SECONDS
        for name, child in self._children.items():
            try:
                child.wait(max(0.1, latest - time.monotonic()))
            except subprocess.TimeoutExpired:
                _log(f"{name} did not stop in {STOP_SECONDS} s and is killed.")
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def _here(command: list[str]) -> list[str]:
    """Return the command, with its program from this process's Python environment."""
    program = Path(sys.executable).with_name(command[0])
    return [str(program) if program.exists() else command[0], *command[1:]]


def _print_lines(name: str, child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    with child.stdout as lines:
        for line in lines:
            _log(line.rstrip("\n"), name)


def _log(text: str, name: str = "stack") -> None:
    print(f"{name:<8}| {text}", flush=True)  # noqa: T201


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def stack_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the child processes.

    :raises SystemExit: if PostgreSQL or Redis is not configured.
    """
    database, redis = environment.get("DATABASE_URL", ""), environment.get("REDIS_URL", "")
    if not database.startswith(("postgres://", "postgresql://")) or not redis.startswith(("redis://", "rediss://")):
        sys.exit(
            "`make stack` needs running servers, for example:\n"
            "  DATABASE_URL=postgres://postgres@127.0.0.1:5432/talon REDIS_URL=redis://127.0.0.1:6379/0 make stack\n"
            "With SHAPE=wide it brings its own. Without any server use `make run`."
        )
    return {**environment, "COLLECTED_STATIC": environment.get("COLLECTED_STATIC", "1"), "PYTHONUNBUFFERED": "1"}


def main() -> int:
    """Run the stack until it is stopped."""
    shape = os.environ.get("SHAPE", "")
    if shape not in {"", "wide"}:
        sys.exit(f"SHAPE is wide or empty, not {shape!r}.")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    with ExitStack() as ending:
        folder = tempfile.TemporaryDirectory(prefix="talon-stack-", ignore_cleanup_errors=True)
        home, environment = Path(ending.enter_context(folder)), dict(os.environ)
        if shape == "wide":
            found = ending.enter_context(wide.servers(home / "var"))
            _log(found.addresses)
            environment |= found.settings
        return _run(stack_environment(environment), stopping, home, beats=2 if shape == "wide" else 1)


def _run(environment: dict[str, str], stopping: threading.Event, home: Path, *, beats: int) -> int:
    """Run the site's processes on existing servers. Return 1 if they could not start."""
    has_proxy = proxy.is_installed()
    lines, ports = commands(), Ports.of(environment, has_proxy=has_proxy)
    if not has_proxy:
        _log(f"Not installed: {proxy.PROGRAM}. Without a proxy, one process serves pages and tables.")
    environment.setdefault("PUBLIC_URL", ports.address)
    if ports.tables:
        environment["TABLES_ELSEWHERE"] = "1"
    environment.setdefault("PROMETHEUS_MULTIPROC_DIR", str(home / "metrics"))
    Path(environment["PROMETHEUS_MULTIPROC_DIR"]).mkdir(exist_ok=True)
    stack = Stack(environment, stopping)
    stack.run_once(lines["release"])
    stack.run_once(lines["static"])
    for name, inner in (("web", ports.webs), ("tables", ports.tables)):
        for number, port in enumerate(inner, 1):
            host = "127.0.0.1" if has_proxy else ports.host
            stack.start(f"{name}-{number}", lines[name], HOST=host, PORT=str(port))
    if has_proxy:
        caddyfile = home / "Caddyfile"
        caddyfile.write_text(proxy.local_caddyfile(ports.host, ports.port, ports.services()))
        stack.start("proxy", proxy.command(caddyfile), XDG_CONFIG_HOME=str(home), XDG_DATA_HOME=str(home))
    stack.start("worker", lines["worker"])
    stack.start("keeper", lines["keeper"], METRICS_PORT="0")  # the worker serves the metrics of both
    stack.start("analyst", lines["analyst"], METRICS_PORT="0")
    stack.start("beat", lines["beat"])
    for number in range(2, beats + 1):  # each beat needs a schedule file of its own
        stack.start(f"beat-{number}", [*lines["beat"], "--schedule", str(home / f"beat-{number}")])
    stack.await_ready(ports.address, ports.inner())
    return stack.wait()


class Ports(NamedTuple):
    """Ports of the stack: the proxy's and, after it, those of the processes.

    Without a proxy, the only web process has the first port.
    """

    host: str
    port: int
    webs: range
    tables: range

    @classmethod
    def of(cls, environment: Mapping[str, str], *, has_proxy: bool) -> Self:
        """Read HOST, PORT, WEB_PROCESSES and TABLES_PROCESSES. Without table processes, web processes serve tables."""
        host, port = environment.get("HOST", "127.0.0.1"), int(environment.get("PORT", "8000"))
        if not has_proxy:
            return cls(host, port, range(port, port + 1), range(0))
        webs = range(port + 1, port + 1 + int(environment.get("WEB_PROCESSES", "2")))
        return cls(host, port, webs, range(webs.stop, webs.stop + int(environment.get("TABLES_PROCESSES", "2"))))

    @property
    def address(self) -> str:
        """The address for players."""
        return f"http://{self.host}:{self.port}"

    def inner(self) -> list[str]:
        """Return the addresses of the processes themselves."""
        return [f"http://127.0.0.1:{port}" for port in (*self.webs, *self.tables)]

    def services(self) -> dict[str, Sequence[int]]:
        """Return the ports of each service in the proxy's configuration."""
        return {"web": self.webs, "tables": self.tables or self.webs}


if __name__ == "__main__":
    sys.exit(main())
