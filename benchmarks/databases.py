"""A benchmark's own database, on the server in DATABASE_URL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


def server_url() -> str:
    """Return DATABASE_URL if it is PostgreSQL; otherwise print that the benchmark is skipped, and return ""."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        print("skipped: DATABASE_URL names no PostgreSQL")
        return ""
    return url


@contextmanager
def own_database(url: str) -> Iterator[str]:
    """Create an empty database for this run and yield its URL; it is dropped at the end despite open connections."""
    import psycopg

    name = f"talon_bench_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
