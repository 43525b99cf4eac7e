"""A database of a benchmark's own, on the server that DATABASE_URL names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


def server_url() -> str:
    """What DATABASE_URL names if that is PostgreSQL; empty otherwise, and then says that the benchmark is skipped."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        print("skipped: DATABASE_URL names no PostgreSQL")
        return ""
    return url


@contextmanager
def own_database(url: str) -> Iterator[str]:
    """A new, empty database for this run alone; its URL. It is dropped at the end, whoever is still connected."""
    import psycopg

    name = f"talon_bench_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
