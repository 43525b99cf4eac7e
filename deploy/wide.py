"""Servers of `make stack SHAPE=wide`, each in a temporary directory and on a free port.

They are a primary PostgreSQL behind PgBouncer in transaction mode, a streaming replica, two Redis servers for the
channel layer, and one for the task queue and the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from deploy import proxy
from deploy.servers import PgBouncer, Postgres, Redis, Replica, Server, postgres_programs

S = TypeVar("S", bound=Server)


class Servers(NamedTuple):
    """Settings that point to the servers, and a description of their addresses."""

    settings: dict[str, str]
    addresses: str


def missing_programs() -> list[str]:
    """Return the missing programs, each with its Debian package."""
    programs = postgres_programs()
    installed = {
        "postgres and initdb (package postgresql)": programs is not None,
        "pg_basebackup (package postgresql-client)": programs is not None and (programs / "pg_basebackup").exists(),
        "pgbouncer (package pgbouncer)": PgBouncer.is_installed(),
        "redis-server (package redis-server)": Redis.is_installed(),
        proxy.PROGRAM: proxy.is_installed(),
    }
    return [name for name, is_installed in installed.items() if not is_installed]


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Start the servers, and remove them with their data at the end. The site may write to `folder`.

    :raises SystemExit: if programs are missing, naming them.
    """
    if missing := missing_programs():
        sys.exit("`make stack SHAPE=wide` needs programs that are not installed:\n  " + "\n  ".join(missing))
    with ExitStack() as ending:

        def started(server: S) -> S:
            ending.callback(server.remove)
            server.start()
            return server

        primary = started(Postgres())
        replica, pooler = started(Replica(primary)), started(PgBouncer(primary.port))
        *layer, rest = [started(Redis()) for _ in range(3)]
        settings = {
            "DATABASE_URL": pooler.url,
            "REPLICA_URLS": replica.url,
            "REDIS_URL": rest.url,
            "LAYER_URLS": ",".join(server.url for server in layer),
            "VAR_DIR": str(folder),
        }
        yield Servers(settings, f"PostgreSQL {primary.url}, replica {replica.url}, PgBouncer {pooler.url}")
