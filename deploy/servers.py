"""Servers of our own that keep nothing: PostgreSQL, its replicas, PgBouncer and Redis on free ports of this machine.

`make stack SHAPE=wide` and the tests run on them. They may be killed and started again, and each has a session of its
own, so that Ctrl-C in a terminal does not reach them before what runs on them has stopped.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from configparser import ConfigParser
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.rows import dict_row

DEPLOYED_PGBOUNCER = Path(__file__).with_name("pgbouncer") / "pgbouncer.ini"
#: Below those that Linux gives to connections by itself: a server that is down finds its port free when it comes back.
PORTS = range(10_000, 32_000)


def free_port(count: int = 1) -> int:
    """The first of so many ports in a row on which nobody listens."""
    while True:
        first = secrets.choice(PORTS)
        with ExitStack() as held, suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            return first


def eventually(what: Callable[[], object], *, within: float = 180.0, every: float = 0.02) -> object:
    """Ask until the answer is true; what it was."""
    latest = time.monotonic() + within
    while not (answer := what()):
        if time.monotonic() > latest:
            raise TimeoutError(f"not within {within} s: {what}")
        time.sleep(every)
    return answer


def postgres_programs() -> Path | None:
    """Where initdb and postgres are, if they are installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None, key=lambda path: float(path.parent.name))


class Redis:
    """A Redis of our own that keeps nothing."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def is_installed() -> bool:
        """Whether there is a redis-server."""
        return shutil.which("redis-server") is not None

    def start(self) -> None:
        """Start empty and wait until it answers."""
        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            ["redis-server", *arguments],  # noqa: S607 - wherever it is
            stdout=subprocess.DEVNULL,
            cwd=tempfile.gettempdir(),
            start_new_session=True,
        )
        eventually(self._answers)

    def stop(self) -> None:
        """Kill it: everything in it is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def empty(self) -> None:
        """Delete everything in it."""
        with redis.Redis(port=self.port) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


class Postgres:
    """A PostgreSQL cluster of our own in a temporary directory; as it refuses root, root starts it as another user."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs is not None
        self._programs = programs
        self._home = Path(tempfile.mkdtemp(prefix="talon-pg-"))
        self.data = self._home / "data"
        self.port = free_port()
        self.url = f"postgres://talon@127.0.0.1:{self.port}/postgres"
        self._process: subprocess.Popen[bytes] | None = None
        self._user: str | None = None
        if os.geteuid() == 0:
            self._user = "postgres"
            shutil.chown(self._home, "postgres")
        self._fill(self.data)

    def _fill(self, data: Path) -> None:
        self._run("initdb", "-D", str(data), "-U", "talon", "-A", "trust", "-E", "UTF8", "--no-sync")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            user=self._user,
            check=True,
            cwd=self._home,
            stdout=subprocess.DEVNULL,
        )

    def start(self) -> None:
        """Start, recover if need be, and wait until it answers."""
        settings = ["-p", str(self.port), "-h", "127.0.0.1", "-k", str(self._home), "-c", "max_connections=60"]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self.data, *settings],
            user=self._user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._home,
            start_new_session=True,
        )
        eventually(self._answers)

    def freeze(self) -> None:
        """Stop its processes with SIGSTOP: connections stay open and nothing is answered."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its processes go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        pid = self._process.pid
        os.kill(pid, number)  # first, so that it starts no other process
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), number)

    def stop(self) -> None:
        """Stop at once, as a crash would: it recovers from its log at the next start."""
        if self._process is not None:
            self.thaw()
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Stop and delete it."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False


class Replica(Postgres):
    """A replica of one of our clusters, which must run when it is made; the copy is streamed to from then on."""

    def __init__(self, primary: Postgres) -> None:
        self._primary = primary
        super().__init__()

    def _fill(self, data: Path) -> None:
        source = ["-h", "127.0.0.1", "-p", str(self._primary.port), "-U", "talon"]
        self._run("pg_basebackup", "-D", str(data), "-R", "-c", "fast", "--no-sync", *source)


class PgBouncer:
    """A PgBouncer of our own, set up as `deploy/pgbouncer` has it, before the PostgreSQL on a port.

    With `size` it has so many connections to it at most.
    """

    def __init__(self, postgres: int, *, size: int | None = None) -> None:
        self.port = free_port()
        self.url = f"postgres://talon@127.0.0.1:{self.port}/talon"
        self._home = Path(tempfile.mkdtemp(prefix="talon-pgbouncer-"))
        self._process: subprocess.Popen[bytes] | None = None
        (self._home / "userlist.txt").write_text('"talon" ""\n')
        deployed = ConfigParser()
        deployed.read(DEPLOYED_PGBOUNCER)
        deployed["databases"]["talon"] = f"host=127.0.0.1 port={postgres} dbname=postgres"
        deployed["pgbouncer"].update(
            listen_addr="127.0.0.1",
            listen_port=str(self.port),
            unix_socket_dir="",
            auth_type="trust",
            auth_file=str(self._home / "userlist.txt"),
            admin_users="talon",
        )
        if size is not None:
            deployed["pgbouncer"]["default_pool_size"] = str(size)
        with (self._home / "pgbouncer.ini").open("w") as file:
            deployed.write(file)
        if os.geteuid() == 0:
            shutil.chown(self._home, "postgres")

    @staticmethod
    def is_installed() -> bool:
        """Whether there is a pgbouncer."""
        return _pgbouncer() is not None

    def start(self) -> None:
        """Start and wait until it answers."""
        program = _pgbouncer()
        assert program is not None
        self._process = subprocess.Popen(
            [program, "--quiet", self._home / "pgbouncer.ini"],
            user="postgres" if os.geteuid() == 0 else None,
            stderr=subprocess.DEVNULL,
            cwd=self._home,
            start_new_session=True,
        )
        eventually(self._answers)

    def stop(self) -> None:
        """Kill it, and with it every connection."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Stop and delete it."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def show(self, what: str) -> list[dict[str, Any]]:
        """A table of its console: `clients`, `servers`, `stats` and others."""
        # The console knows simple queries alone.
        with psycopg.connect(self.url, dbname="pgbouncer", autocommit=True, row_factory=dict_row) as console:
            return psycopg.ClientCursor(console).execute(f"SHOW {what}".encode()).fetchall()

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False


def _pgbouncer() -> str | None:
    """Where the program is: root's directories are not on everybody's path."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
