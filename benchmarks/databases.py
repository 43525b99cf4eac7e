"""A benchmark's own database, on the server in DATABASE_URL."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit


def server_url() -> str:
    """Return DATABASE_URL if it is PostgreSQL; otherwise print that the benchmark is skipped, and return ""."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        print("skipped: DATABASE_URL names no PostgreSQL")
        return ""
    return url


@contextmanager
def own_site(url: str) -> Iterator[None]:
    """Set up Django on a database of its own and without Redis; the connection is closed at the end."""
    with own_database(url) as own, tempfile.TemporaryDirectory() as var:
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
        os.environ.update(settings, DATABASE_URL=own, VAR_DIR=var)
        os.environ.pop("REDIS_URL", None)
        import django

        django.setup()
        try:
            yield
        finally:
            from django.db import connection

            connection.close()
            cast("Any", connection).close_pool()


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
