"""Production shape for tests: web processes and tables, Celery workers, beat, PostgreSQL and Redis.

There are two web processes and two processes of tables; the servers are started by the tests. PgBouncer in front of the
database and a replica are optional. `deploy/Procfile` has the commands.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import psycopg
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from deploy.procfile import commands
from deploy.servers import PgBouncer, Postgres, Redis, Replica, eventually, free_port
from tests.control import ControlProcess
from tests.postgres import PostgresCopy

ROOT = Path(__file__).resolve().parent.parent.parent
SERVERS = 4  # most connections from PgBouncer to PostgreSQL
EVENT = re.compile(r"\d{4}-\d\d-\d\dT|Traceback")  # how a line of a log begins, other than a worker's greeting
FIRST_DAY = date(2020, 1, 6)  # of the deals created here; each deal gets the next day


class Process:
    """One process of the service, in its own session so that it can be killed with its children."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path, **options: Any) -> None:
        self._log = log.open("ab")
        self.child: subprocess.Popen[str] = subprocess.Popen(
            [str(Path(sys.executable).with_name(command[0])), *command[1:]],
            cwd=ROOT,
            env=environment,
            stderr=self._log,
            start_new_session=True,
            text=True,
            **{"stdout": self._log, **options},
        )

    @property
    def has_ended(self) -> bool:
        """True if the process ended without being stopped."""
        return self.child.poll() is not None

    def stop(self, within: float = 60) -> None:
        self.child.terminate()
        self.child.wait(within)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its children with SIGKILL."""
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        for stream in (self._log, self.child.stdin, self.child.stdout):
            if stream is not None:
                stream.close()


class Pair:
    """Two listening processes of one kind, `web` or `tables`, with methods to break them."""

    def __init__(self, name: str, start: Callable[[str, list[str], Mapping[str, str]], Process]) -> None:
        self.name = name
        self.ports = [free_port(), free_port()]
        self._start = start
        self._running: list[Process | None] = [None, None]

    def start(self, index: int, **settings: str) -> None:
        command = [*commands()[self.name], "--port", str(self.ports[index])]
        self._running[index] = self._start(f"{self.name}{index}", command, settings)

    def await_ready(self, index: int) -> None:
        eventually(lambda: status_of(self.ports[index], "/readyz") == 200)

    def kill(self, index: int) -> None:
        """Kill one of the two with SIGKILL."""
        found, self._running[index] = self._running[index], None
        assert found is not None
        found.kill()

    def restart(self, index: int) -> None:
        """Stop one of the two gracefully and start it again."""
        found = self._running[index]
        assert found is not None
        found.stop()
        self.start(index)
        self.await_ready(index)

    def down(self) -> list[int]:
        """Return the indexes of the processes that do not run, whether killed or ended."""
        return [index for index, found in enumerate(self._running) if found is None or found.has_ended]

    def ended(self) -> list[str]:
        return [f"{self.name}{k}" for k, found in enumerate(self._running) if found is not None and found.has_ended]

    def stop(self) -> None:
        for found in self._running:
            if found is not None:
                found.kill()


def status_of(port: int, path: str) -> int:
    """Return the HTTP status of a page; 0 if the server does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


class Site(Protocol):
    """A site to play on, with access to the service."""

    sockets: list[int]
    """The ports that serve WebSockets."""

    def ask(self, what: str, **arguments: Any) -> Any:
        """Run a command inside the service."""


class Stack:
    """All processes and servers, with methods to break them."""

    def __init__(
        self,
        home: Path,
        *,
        cluster: Path | None = None,
        pooled: bool = False,
        replicated: bool = False,
        workers: Sequence[str] = (),
    ) -> None:
        self._home = home
        self._migrated = cluster is not None
        self.postgres, self.redis = PostgresCopy(cluster / "data") if cluster else Postgres(), Redis()
        self.pgbouncer = PgBouncer(self.postgres.port, size=SERVERS) if pooled else None
        self.replica: Replica | None = None
        self._replicated = replicated
        self.webs, self.tables = Pair("web", self._process), Pair("tables", self._process)
        self.ports, self.sockets = self.webs.ports, self.tables.ports
        self._workers: dict[str, list[Process]] = {}
        self._nodes = itertools.count()
        self._beat: Process | None = None
        self._commands = commands()
        self._worker_names = workers or [name for name, command in self._commands.items() if "worker" in command]
        self._control: ControlProcess | None = None
        self.proxy_port = free_port()
        """Port of the proxy that the site takes for its public address; a test may run one there."""
        (home / "var").mkdir()
        self._environment = {
            **os.environ,
            "DATABASE_URL": (self.pgbouncer or self.postgres).url,
            "REDIS_URL": self.redis.url,
            "PUBLIC_URL": f"http://127.0.0.1:{self.proxy_port}",
            "TABLES_ELSEWHERE": "1",
            "VAR_DIR": str(home / "var"),
            "SECRET_KEY": "of a test",
            "LOG_LEVEL": "WARNING",
            "SEALED_STOCK": "0",
            "DEAL_PATIENCE": "0",
            "PUZZLE_STOCK": "0",
            "LADDERS": "0",  # all of its players are newcomers
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    # --- Starting and breaking --------------------------------------------------------------------------------------

    def start(self) -> None:
        self.postgres.start()
        self.redis.start()
        if self.pgbouncer is not None:
            self.pgbouncer.start()
        if not self._migrated:
            self.manage("migrate", "-v0").check_returncode()
        if self._replicated:
            self.replica = Replica(self.postgres)
            self.replica.start()
            self._environment |= {"REPLICA_URLS": self.replica.url, "REPLICA_LAG": "600"}
        self._control = ControlProcess("tests.services.control", self._environment, self._home / "control.log")
        self._start_pairs()
        self.start_worker()

    def start_worker(self, *names: str, children: int = 1) -> None:
        """Start another of each of the stack's Celery workers, or of the named ones."""
        for name in names or self._worker_names:
            node = f"{name}{next(self._nodes)}"
            options = ["--concurrency", str(children), "-n", f"{node}@%h", "-l", "WARNING"]
            self._workers.setdefault(name, []).append(self._process(node, [*self._commands[name], *options]))

    def kill_workers(self, *names: str) -> None:
        """Kill every worker, or the named ones, with SIGKILL."""
        for name in names or self._worker_names:
            for worker in self._workers.pop(name, []):
                worker.kill()

    def start_beat(self) -> None:
        self._beat = self._process("beat", self._commands["beat"])

    def kill_beat(self) -> None:
        beat, self._beat = self._beat, None
        if beat is not None:
            beat.kill()

    def ended(self) -> list[str]:
        running: dict[str, Process | None] = {"beat": self._beat}
        running |= {f"{name}{k}": one for name, workers in self._workers.items() for k, one in enumerate(workers)}
        ended = [name for name, process in running.items() if process is not None and process.has_ended]
        return [*self.webs.ended(), *self.tables.ended(), *ended]

    def cut_connections(self) -> None:
        with psycopg.connect(self.postgres.url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def waits_for_lock(self, table: str) -> bool:
        waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
        with psycopg.connect(self.postgres.url) as looking:
            return looking.execute(waiting, [f"%{table}%"]).fetchone() is not None

    def mend(self) -> None:
        """Start every process that is not running, whether killed or ended, and Redis if a failed test stopped it."""
        if not self.redis.is_running:
            self.redis.start()
        for name in self._worker_names:
            if all(worker.has_ended for worker in self._workers.get(name, [])):
                self.kill_workers(name)
                self.start_worker(name)
        self._start_pairs()

    def _start_pairs(self) -> None:
        # A web process becomes ready only when tables are up.
        down = [(pair, index) for pair in (self.tables, self.webs) for index in pair.down()]
        for pair, index in down:
            pair.start(index)
        for pair, index in down:
            pair.await_ready(index)

    def stop(self) -> None:
        self.webs.stop()
        self.tables.stop()
        if self._beat is not None:
            self._beat.kill()
        if self._control is not None:
            self._control.stop()
        self.kill_workers()
        self.redis.remove()
        if self.pgbouncer is not None:
            self.pgbouncer.remove()
        if self.replica is not None:
            self.replica.remove()
        self.postgres.remove()

    def _process(
        self, name: str, command: list[str], settings: Mapping[str, str] | None = None, **options: Any
    ) -> Process:
        return Process(command, self._environment | dict(settings or {}), self._home / f"{name}.log", **options)

    def logs(self) -> str:
        return "\n".join(f"== {path.name}\n{path.read_text()[-4000:]}" for path in sorted(self._home.glob("*.log")))

    def sizes(self) -> dict[str, int]:
        """Return the length of each process's log."""
        return {path.stem: path.stat().st_size for path in self._home.glob("*.log")}

    def lines_since(self, sizes: dict[str, int], *, about: str) -> dict[str, list[str]]:
        """Return the events and tracebacks in each log since it had this size, except another server's outage."""
        other = "Redis at" if about == "PostgreSQL" else "PostgreSQL at"
        return {
            name: [line for line in self.said(name)[size:].splitlines() if EVENT.match(line) and other not in line]
            for name, size in sizes.items()
        }

    def said(self, process: str) -> str:
        return (self._home / f"{process}.log").read_text()

    # --- Using ------------------------------------------------------------------------------------------------------

    def ask(self, what: str, **arguments: Any) -> Any:
        assert self._control is not None
        return self._control.ask(what, **arguments)

    def manage(self, *command: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "manage.py", *command]
        return subprocess.run(
            line, cwd=ROOT, env=self._environment, check=False, timeout=300, capture_output=True, text=True
        )

    def get(self, index: int, path: str) -> int:
        return status_of(self.ports[index], path)

    def seat(self, deal: int) -> Seat:
        return Seat(self, **self.ask("seat", deal=deal))


@contextmanager
def started(home: Path, cluster: Path, **options: Any) -> Iterator[Stack]:
    """Run a stack on a copy of a cluster; at the end, print its logs for pytest."""
    stack = Stack(home, cluster=cluster, **options)
    try:
        stack.start()
        yield stack
    finally:
        print(stack.logs())
        stack.stop()


class Seat:
    """A player at a table, connected to either process of tables; remembers the acknowledged moves."""

    def __init__(self, stack: Site, session: str, attempt: str, id: int, player: str) -> None:  # noqa: A002
        self._stack = stack
        self._open = ExitStack()
        self.session = session
        self.attempt, self.id, self.player = attempt, id, player
        self.acknowledged: dict[int, str] = {}
        self.n = 0
        self.legal: list[str] = []
        self.socket: ClientConnection | None = None

    def sit(self, index: int, *, within: float = 120) -> dict[str, Any]:
        """Connect to a process, retrying until it answers, and say hello; return the view."""

        def greeted() -> dict[str, Any] | None:
            try:
                return self._greeted(index)
            except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                return None

        found: Any = eventually(greeted, within=within)
        return dict(found)

    def connection(self, index: int) -> ClientConnection:
        """Open another connection to the table."""
        port = self._stack.sockets[index]
        return connect(
            f"ws://127.0.0.1:{port}/ws/play/{self.attempt}/",
            additional_headers={"Cookie": f"sessionid={self.session}"},
            origin=Origin(f"http://127.0.0.1:{port}"),
            compression=None,
            open_timeout=30,
        )

    def _greeted(self, index: int) -> dict[str, Any] | None:
        self.leave()
        self._open = ExitStack()
        self.socket = self._open.enter_context(self.connection(index))
        answer = self.say({"type": "hello", "v": 1, "have": None})
        if answer["type"] != "view":
            return None
        # The server may have one move more than was acknowledged, never one less.
        assert answer["n"] in (self.n, self.n + 1)
        self.n, self.legal = answer["n"], answer["legal"]
        return answer

    def say(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.socket is not None
        self.socket.send(json.dumps(message))
        return self.hear()

    def hear(self, within: float = 60) -> dict[str, Any]:
        assert self.socket is not None
        found: dict[str, Any] = json.loads(self.socket.recv(timeout=within))
        return found

    def move(self) -> dict[str, Any]:
        token = self.legal[len(self.attempt + str(self.n)) * 7 % len(self.legal)]
        answer = self.say({"type": "move", "n": self.n + 1, "token": token})
        if answer["type"] == "moved":
            assert (answer["n"], answer["token"]) == (self.n + 1, token)
            self.n, self.legal = answer["n"], answer["legal"]
            self.acknowledged[self.n] = token
        return answer

    def play(self, moves: int) -> None:
        for _ in range(moves):
            if self.legal:
                assert self.move()["type"] == "moved"

    def play_at(self, index: int, *, moves: int) -> None:
        self.sit(index)
        self.play(moves)

    def finish_at(self, index: int, *, moves: int) -> None:
        self.play_at(index, moves=moves)
        self.resign()

    def resign(self) -> None:
        assert self.say({"type": "resign", "n": self.n + 1})["type"] == "ended"

    def leave(self) -> None:
        if self.socket is not None:
            self._open.close()
            self.socket = None

    def state(self) -> dict[str, Any]:
        return dict(self._stack.ask("state", attempt=self.attempt))

    def is_judged(self) -> bool:
        return self.state()["state"] not in ("playing", "pending")


def await_ranks(*seats: Seat, within: float = 180) -> list[int]:
    """Wait for every verdict and return the sorted ranks. Records must have every acknowledged token."""
    eventually(lambda: all(seat.is_judged() for seat in seats), within=within, every=0.1)
    ranks = []
    for seat in seats:
        found = seat.state()
        assert (found["state"], found["results"]) == ("verified", 1), found
        assert {n: found["tokens"][n - 1] for n in seat.acknowledged} == seat.acknowledged
        ranks.append(found["rank"])
    return sorted(ranks)
