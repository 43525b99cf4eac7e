"""PostgreSQL for tests: the server that TEST_DATABASE_URL names, or one of our own, or the one at the usual address."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import psycopg

from deploy.servers import Postgres, postgres_programs
from tests.config.running import run

NAMED_URL: Final = os.environ.get("TEST_DATABASE_URL", "")
USUAL_URL: Final = "postgres://postgres@127.0.0.1:5432/postgres"
CONNECT_SECONDS: Final = 3


class ServerAddress(NamedTuple):
    """A running server, and the name of a migrated database in it, if there is one."""

    url: str
    migrated: str = ""


class PostgresCopy(Postgres):
    """A cluster whose files are copied from a stopped one, because migrating takes seconds."""

    def __init__(self, files: Path) -> None:
        self._files = files
        super().__init__()

    def _fill(self, data: Path) -> None:
        subprocess.run(["cp", "--archive", self._files, data], check=True)


def make_cluster(folder: Path) -> None:
    """Put the files of a cluster with a migrated database into a folder, as `data`."""
    server = Postgres()
    try:
        server.start()
        done = run("manage.py", "migrate", "-v0", var=folder, DATABASE_URL=server.url)
        assert done.returncode == 0, done.stderr
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute("ALTER SYSTEM SET fsync = off")  # tests crash processes, never the machine
            admin.execute("CHECKPOINT")  # so that the copies have nothing to recover
        server.stop()
        subprocess.run(["cp", "--archive", server.data, folder / "data"], check=True)
    finally:
        server.remove()


def answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=CONNECT_SECONDS).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def running_postgres(cluster: Callable[[], Path], named: str = NAMED_URL) -> Iterator[ServerAddress]:
    """Yield the named server, or else a copy of the cluster, or else the server at the usual address."""
    if named or postgres_programs() is None:
        yield ServerAddress(named or USUAL_URL)
        return
    own = PostgresCopy(cluster() / "data")
    try:
        own.start()
        yield ServerAddress(own.url, migrated="postgres")
    finally:
        own.remove()


@contextmanager
def new_database(server_url: str, template: str = "template1") -> Iterator[str]:
    """Yield the URL of a new database, copied from another one; drop it afterwards."""
    name = f"talon_test_{uuid.uuid4().hex[:12]}"
    with closing(psycopg.connect(server_url, autocommit=True)) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
