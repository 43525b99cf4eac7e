"""The site that `benchmarks.capacity --measure` measures, with one process of each kind on its own servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis

from benchmarks.capacity_model import OFF, Cost
from deploy.servers import Postgres, Redis, postgres_programs

JOURNAL = "games_move"


def installed() -> bool:
    """Return whether PostgreSQL and Redis are installed."""
    return postgres_programs() is not None and Redis.is_installed()


class Tree:
    """A process and all its descendants."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def pids(self) -> list[int]:
        """Return the ids of the living processes."""
        parents = {}
        for status in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parents[int(status.parent.name)] = int(_fields(status)[1])
        found = [self.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def ms(self) -> float:
        """Return the CPU time so far, including ended children."""
        spent = 0.0
        for pid in self.pids():
            with suppress(OSError):
                spent += time.clock_gettime((~pid << 3) | 2) * 1000  # the id as from clock_getcpuclockid(3)
                cutime, cstime = _fields(Path(f"/proc/{pid}/stat"))[13:15]
                spent += (int(cutime) + int(cstime)) * 1000 / os.sysconf("SC_CLK_TCK")
        return spent

    def resident_kib(self) -> int:
        """Return the resident memory of the process itself."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def _fields(status: Path) -> list[str]:
    """Return the fields after the name in /proc/<pid>/stat: state, parent, ..."""
    return status.read_text().rsplit(")", 1)[1].split()


class Site:
    """The processes, and the resources they have used."""

    def __init__(self, port: int, trees: dict[str, Tree], database: str, environment: dict[str, str]) -> None:
        self.port, self.trees, self.environment = port, trees, environment
        self.database = psycopg.connect(database, autocommit=True)
        self.idle = Cost()  # per second
        self.sent = 0
        """Bytes received by visitors and sockets."""

    def cpu(self) -> dict[str, float]:
        """Return the CPU time of each kind of process so far, in ms."""
        return {name: tree.ms() for name, tree in self.trees.items()}

    def logged(self) -> float:
        """Return the bytes of PostgreSQL's WAL so far."""
        return float(self.ask("SELECT pg_current_wal_lsn() - '0/0'")[0][0])

    async def cost(self, work: Awaitable[Any]) -> Cost:
        """Return the cost of some work beyond that of the idle site. Reading the WAL position is not included."""
        logged, begun = self.logged(), time.monotonic()
        before = Cost(**self.cpu(), sent=self.sent, wal=logged)
        await work
        after = Cost(**self.cpu(), sent=self.sent, wal=self.logged())
        return after - before - self.idle * (time.monotonic() - begun)

    def bytes(self) -> dict[str, int]:
        """Return the size of each table with its indexes; the journal's partitions are added up."""
        found: dict[str, int] = {}
        rows = self.ask(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        for name, size in rows:
            table = JOURNAL if name.startswith(f"{JOURNAL}_") else name
            found[table] = found.get(table, 0) + size
        return found

    def ask(self, sql: str) -> list[Any]:
        """Return the rows of a statement."""
        return self.database.execute(sql.encode()).fetchall()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Data prepared before the visitors: races with seated players, and sessions of accounts."""

    races: list[int]
    sessions: list[str]


@contextmanager
def stack(rooms: int, accounts: int, say: Callable[[str], None]) -> Iterator[tuple[Site, Prepared]]:
    """Run one web process, one verdict worker with one process, PostgreSQL and Redis."""
    postgres, cache = Postgres(), Redis()
    started: list[subprocess.Popen[str]] = []
    with tempfile.TemporaryDirectory() as var, (Path(var) / "site.log").open("w+") as log:
        try:
            postgres.start()
            cache.start()
            own = {"DATABASE_URL": postgres.url, "REDIS_URL": cache.url, "VAR_DIR": var, "COLLECTED_STATIC": "1"}
            environment = {**os.environ, **own, **OFF, "LOG_LEVEL": "WARNING"}
            say("migrating, dealing, making accounts and rooms")
            run("benchmarks.pages_parts", "prepare", environment=environment)
            made = run("benchmarks.capacity_parts", "prepare", str(rooms), str(accounts), environment=environment)

            def start(*arguments: str) -> subprocess.Popen[str]:
                command = [sys.executable, "-m", *arguments]
                process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
                started.append(process)
                return process

            web = start("benchmarks.pages_parts", "serve")
            queue = ("--queues", "verdicts", "-c", "1", "-l", "WARNING", "--without-mingle", "--without-gossip")
            worker = start("celery", "--quiet", "-A", "config.celery", "worker", *queue)
            assert web.stdout is not None
            port = int(web.stdout.readline())
            trees = {"web": Tree(web.pid), "worker": Tree(worker.pid), **servers(postgres, cache)}
            yield Site(port, trees, postgres.url, environment), Prepared(**json.loads(made))
        except BaseException:
            log.seek(0)
            say(log.read()[-4000:])
            raise
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(60)
            cache.stop()
            postgres.remove()


def servers(postgres: Postgres, cache: Redis) -> dict[str, Tree]:
    """Return the processes of the servers."""
    with psycopg.connect(postgres.url) as connection:
        [(backend,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
        postmaster = int(_fields(Path(f"/proc/{backend}/stat"))[1])
    with redis.Redis(port=cache.port) as client:
        info: Any = client.info("server")
    return {"postgres": Tree(postmaster), "redis": Tree(int(info["process_id"]))}


def run(module: str, *arguments: str, environment: dict[str, str]) -> str:
    """Run a module and return its output."""
    return subprocess.check_output([sys.executable, "-m", module, *arguments], env=environment, text=True)
