"""The servers of `make stack SHAPE=wide`, each in a temporary directory and on a free port.

A primary PostgreSQL with PgBouncer in transaction mode before it, a replica that it streams to, two Redis servers for
the channel layer, and one for the task queue and the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from deploy import proxy
from deploy.servers import PgBouncer, Postgres, Redis, Replica, postgres_programs


class Servers(NamedTuple):
    """The settings that lead to the servers, and their addresses in words."""

    settings: dict[str, str]
    addresses: str


def missing_programs() -> list[str]:
    """What is not installed of what the shape needs, each with the Debian package that has it."""
    programs = postgres_programs()
    there = {
        "postgres and initdb (package postgresql)": programs is not None,
        "pg_basebackup (package postgresql-client)": programs is not None and (programs / "pg_basebackup").exists(),
        "pgbouncer (package pgbouncer)": PgBouncer.is_installed(),
        "redis-server (package redis-server)": Redis.is_installed(),
        proxy.PROGRAM: proxy.is_installed(),
    }
    return [name for name, is_there in there.items() if not is_there]


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Start the servers, and remove them in the end with all that they hold; `folder` is what the site may write to.

    :raises SystemExit: naming the programs that are missing.
    """
    if missing := missing_programs():
        sys.exit("`make stack SHAPE=wide` needs programs that are not installed:\n  " + "\n  ".join(missing))
    with ExitStack() as ending:
        primary = Postgres()
        ending.callback(primary.remove)
        primary.start()
        replica = Replica(primary)
        ending.callback(replica.remove)
        replica.start()
        pooler = PgBouncer(primary.port)
        ending.callback(pooler.remove)
        pooler.start()
        redis = [Redis() for _ in range(3)]
        for server in redis:
            ending.callback(server.stop)
            server.start()
        *layer, rest = redis
        settings = {
            "DATABASE_URL": pooler.url,
            "REPLICA_URLS": replica.url,
            "REDIS_URL": rest.url,
            "LAYER_URLS": ",".join(server.url for server in layer),
            "VAR_DIR": str(folder),
        }
        yield Servers(settings, f"PostgreSQL {primary.url}, replica {replica.url}, PgBouncer {pooler.url}")
