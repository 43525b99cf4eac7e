"""The production shape for benchmarks, and the CPU time of each of its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.databases import own_database
from deploy.procfile import commands
from deploy.servers import Redis, eventually, free_port

#: Names of servers and workers; `postgres` stands for the server's processes of this database, `redis` for its own
#: Redis.
WEBS, TABLES = ("web-1", "web-2"), ("tables-1", "tables-2")
OTHERS = ("worker", "keeper", "analyst", "beat")
POSTGRES, REDIS = "postgres", "redis"

Costs = dict[str, float]
"""CPU time of each process of the shape, in s."""


class Process:
    """A process of the shape in a session of its own, whose output goes to a log."""

    def __init__(self, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        program = str(Path(sys.executable).with_name(command[0]))
        with log.open("ab") as output:
            self.child = subprocess.Popen(
                [program, *command[1:]], env=environment, stdout=output, stderr=output, start_new_session=True
            )

    def stop(self) -> None:
        """Stop the process, and kill what is left of its session."""
        self.child.terminate()
        self.child.wait(60)
        with suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)


class Shape:
    """Two web processes, one or two table processes, three workers and beat, on their own database and Redis.

    With `only_tables`, the table processes alone.
    """

    def __init__(
        self, environment: Mapping[str, str], home: Path, *, tables: int = 1, only_tables: bool = False
    ) -> None:
        self.ports = [] if only_tables else [free_port() for _ in WEBS]
        self.tables = [free_port() for _ in TABLES[:tables]]
        self._others = () if only_tables else OTHERS
        self._environment = {**environment, "TABLES_ELSEWHERE": "1"}
        self._home = home
        self._processes: dict[str, Process] = {}
        self._backends: dict[int, float] = {}
        self._of_backends = 0.0

    def start(self) -> None:
        """Start everything, and wait until all listening processes are ready.

        :raises TimeoutError: if they are not.
        """
        lines = commands()
        for name, port in zip(WEBS, self.ports, strict=False):
            self._start(name, [*lines["web"], "--port", str(port)])
        for name, port in zip(TABLES, self.tables, strict=False):
            self._start(name, [*lines["tables"], "--port", str(port)])
        for name in self._others:
            self._start(name, lines[name])
        for port in (*self.tables, *self.ports):  # web processes are ready once they know of tables
            eventually(lambda port=port: is_ready(port), within=60)  # type: ignore[misc]
        self.costs()

    def _start(self, name: str, command: list[str]) -> None:
        self._processes[name] = Process(command, self._environment, self._home / f"{name}.log")

    def stop(self) -> None:
        for process in self._processes.values():
            process.stop()

    def output(self) -> str:
        """Return the output of the processes."""
        return "".join(f"== {name}\n{text}" for name in self._processes if (text := self._log(name)))

    def _log(self, name: str) -> str:
        return (self._home / f"{name}.log").read_text()

    def costs(self) -> Costs:
        """Return the CPU time of each process so far, with its children."""
        found = {name: session_seconds(process.child.pid) for name, process in self._processes.items()}
        return {**found, POSTGRES: self._postgres(), REDIS: self._redis()}

    def _postgres(self) -> float:
        """Return the CPU time of this database's processes that were seen so far; 0 if on another machine.

        The time since the last reading is lost if a process ends.
        """
        import psycopg

        with psycopg.connect(self._environment["DATABASE_URL"]) as looking:
            query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            backends = [pid for (pid,) in looking.execute(query)]
        for pid in backends:
            seconds = own_seconds(pid)
            self._of_backends += max(0.0, seconds - self._backends.get(pid, 0.0))
            self._backends[pid] = seconds
        return self._of_backends

    def _redis(self) -> float:
        import redis

        with redis.Redis.from_url(self._environment["REDIS_URL"]) as client:
            return own_seconds(int(client.info("server")["process_id"]))


@contextmanager
def own_redis() -> Iterator[str]:
    """Run a Redis for this run, and yield its URL."""
    server = Redis()
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def own_servers(url: str) -> Iterator[dict[str, str]]:
    """Create a database on the server at `url`, a Redis and a VAR_DIR for this run; yield the environment with them."""
    with own_database(url) as database, own_redis() as redis, tempfile.TemporaryDirectory(prefix="talon-bench-") as var:
        yield {
            **os.environ,
            "DATABASE_URL": database,
            "REDIS_URL": redis,
            "VAR_DIR": var,
            "SECRET_KEY": "of a benchmark",
            "LOG_LEVEL": "WARNING",
            "SEALED_STOCK": "0",
        }


def own_seconds(pid: int) -> float:
    """Return a process's own CPU time; 0 if it is not on this machine."""
    fields = _stat(Path(f"/proc/{pid}/stat"))
    return _seconds(fields[11:13]) if fields else 0.0


def session_seconds(leader: int) -> float:
    """Return the CPU time of all processes of a session, with their ended children."""
    found = (_stat(path) for path in Path("/proc").glob("[0-9]*/stat"))
    return sum(_seconds(fields[11:15]) for fields in found if fields and int(fields[3]) == leader)


def _stat(path: Path) -> list[str]:
    """Return the fields of /proc/…/stat from the state on (see proc(5)), or none if the process has ended."""
    try:
        return path.read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _seconds(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def is_ready(port: int) -> bool:
    """Return whether a process is ready to serve."""
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
