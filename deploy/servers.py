"""Disposable servers: PostgreSQL, its replicas, PgBouncer and Redis on free ports of this machine.

`make stack SHAPE=wide` and the tests use them. They may be killed and restarted. Each has its own session, so Ctrl-C in
a terminal does not reach it before the processes that use it have stopped.
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
#: Below Linux's ephemeral ports, so a stopped server finds its port free when it restarts.
PORTS = range(10_000, 32_000)


def free_port(count: int = 1) -> int:
    """Return the first of `count` consecutive free ports."""
    while True:
        first = secrets.choice(PORTS)
        with ExitStack() as sockets, suppress(OSError):
            for port in range(first, first + count):
                sockets.enter_context(socket.create_server(("127.0.0.1", port)))
            return first


def eventually(condition: Callable[[], object], *, within: float = 180.0, every: float = 0.02) -> object:
    """Poll until the result is true, and return it.

    :raises TimeoutError: if it is still false after `within` seconds.
    """
    latest = time.monotonic() + within
    while not (result := condition()):
        if time.monotonic() > latest:
            raise TimeoutError(f"not within {within} s: {condition}")
        time.sleep(every)
    return result


def postgres_programs() -> Path | None:
    """Return the folder with initdb and postgres, or None if they are not installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None, key=lambda path: float(path.parent.name))


class Server:
    """A server process on a free port, in a temporary folder."""

    url: str

    def __init__(self) -> None:
        self.port = free_port()
        self._home = Path(tempfile.mkdtemp(prefix="talon-server-"))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait until the server answers."""
        raise NotImplementedError

    def _run_server(self, *command: str | Path, user: str | None = None) -> None:
        """Run until the server answers.

        :raises RuntimeError: with the server's output, if it exits instead.
        """
        with (self._home / "output").open("wb") as output:
            self._process = subprocess.Popen(
                command, user=user, stdout=output, stderr=output, cwd=self._home, start_new_session=True
            )
        eventually(lambda: not self.is_running or self._answers())
        if not self.is_running:
            raise RuntimeError(f"{command[0]} exits: {(self._home / 'output').read_text(errors='replace')[-2_000:]}")

    @property
    def is_running(self) -> bool:
        """True while the process runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Kill the server and, with it, every connection."""
        if self._process is not None:
            self._end(self._process)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False


class Redis(Server):
    """A disposable Redis without persistence; its data is lost when it stops."""

    def __init__(self) -> None:
        super().__init__()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    @staticmethod
    def is_installed() -> bool:
        """Return True if redis-server is installed."""
        return shutil.which("redis-server") is not None

    def start(self) -> None:
        """Start empty and wait until it answers."""
        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._run_server("redis-server", *arguments)

    def empty(self) -> None:
        """Delete all data."""
        with redis.Redis(port=self.port) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


class Postgres(Server):
    """A disposable PostgreSQL cluster in a temporary directory. Started by root, it runs as another user."""

    def __init__(self) -> None:
        super().__init__()
        programs = postgres_programs()
        assert programs is not None
        self._programs = programs
        self.data = self._home / "data"
        self.url = f"postgres://talon@127.0.0.1:{self.port}/postgres"
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
        """Start, recover if necessary, and wait until it answers."""
        settings = ["-p", str(self.port), "-h", "127.0.0.1", "-k", str(self._home), "-c", "max_connections=60"]
        self._run_server(self._programs / "postgres", "-D", self.data, *settings, user=self._user)

    def freeze(self) -> None:
        """Stop its processes with SIGSTOP: connections stay open and get no answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume its processes."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        pid = self._process.pid
        os.kill(pid, number)  # the parent first, so that it starts no more processes
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), number)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Stop at once, as in a crash: the next start recovers from the write-ahead log."""
        self.thaw()
        process.send_signal(signal.SIGQUIT)


class Replica(Postgres):
    """A streaming replica of a disposable cluster, which must be running when the replica is created."""

    def __init__(self, primary: Postgres) -> None:
        self._primary = primary
        super().__init__()

    def _fill(self, data: Path) -> None:
        source = ["-h", "127.0.0.1", "-p", str(self._primary.port), "-U", "talon"]
        self._run("pg_basebackup", "-D", str(data), "-R", "-c", "fast", "--no-sync", *source)


class PgBouncer(Server):
    """A disposable PgBouncer in front of the PostgreSQL on a port, configured as in `deploy/pgbouncer`.

    `size` limits its connections to the database.
    """

    def __init__(self, postgres: int, *, size: int | None = None) -> None:
        super().__init__()
        self.url = f"postgres://talon@127.0.0.1:{self.port}/talon"
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
        """Return True if pgbouncer is installed."""
        return _pgbouncer() is not None

    def start(self) -> None:
        """Start and wait until it answers."""
        program = _pgbouncer()
        assert program is not None
        user = "postgres" if os.geteuid() == 0 else None
        self._run_server(program, "--quiet", self._home / "pgbouncer.ini", user=user)

    def show(self, table: str) -> list[dict[str, Any]]:
        """Return a table of the admin console: `clients`, `servers`, `stats` and others."""
        # The console supports simple queries only.
        with psycopg.connect(self.url, dbname="pgbouncer", autocommit=True, row_factory=dict_row) as console:
            return psycopg.ClientCursor(console).execute(f"SHOW {table}".encode()).fetchall()


def _pgbouncer() -> str | None:
    """Return the path of the program. It may be in /usr/sbin, which is not on every user's path."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
