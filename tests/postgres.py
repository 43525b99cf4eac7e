"""PostgreSQL server for tests: the one TEST_DATABASE_URL names, the one at the usual address, or one of our own."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psycopg

from deploy.servers import Postgres

NAMED_URL: Final = os.environ.get("TEST_DATABASE_URL", "")
USUAL_URL: Final = "postgres://postgres@127.0.0.1:5432/postgres"
CONNECT_SECONDS: Final = 3


def answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=CONNECT_SECONDS).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def running_postgres(named: str = NAMED_URL, usual: str = USUAL_URL) -> Iterator[str]:
    """Yield the URL of a running server.

    Start one if none is named and none answers at the usual address.
    """
    if answers(named or usual):
        yield named or usual
        return
    own = Postgres()
    try:
        own.start()
        yield own.url
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
