"""Connections to a PostgreSQL that closes them or hangs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import environ
import psycopg
import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from config.backends.circuit_breaker import CircuitBreaker
from config.backends.postgresql import base
from deploy.servers import Postgres, eventually
from games.db.timeouts import TimedConnection, database_timeout
from tests.postgres import PostgresCopy

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.services]

POOL = {"connection_class": TimedConnection, "min_size": 1, "max_size": 1, "timeout": 3, "reconnect_timeout": 0.5}
#: Upper limit in seconds for a failing call, above all timeouts, for a busy machine.
SOON = 15


@pytest.fixture(scope="module")
def server(cluster: Path) -> Iterator[Postgres]:
    server = PostgresCopy(cluster / "data")
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def breaker(monkeypatch: pytest.MonkeyPatch) -> CircuitBreaker:
    breaker = CircuitBreaker("the database", failures=2, retry_after=0.1)
    monkeypatch.setattr(base, "database", breaker)
    return breaker


@pytest.fixture(params=["pool", "alone"])
def connection(
    request: pytest.FixtureRequest, server: Postgres, breaker: CircuitBreaker, django_db_blocker: DjangoDbBlocker
) -> Iterator[Any]:
    """Connection of a thread, from a pool of one or its own; needs no test database."""
    options: dict[str, Any] = {"connect_timeout": 2} | ({"pool": POOL} if request.param == "pool" else {})
    settings = environ.Env.db_url_config(server.url) | {
        "ENGINE": "config.backends.postgresql",
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
    connection: Any = ConnectionHandler({"default": settings})["default"]
    with django_db_blocker.unblock():
        try:
            yield connection
        finally:
            server.thaw()
            with suppress(OperationalError):
                connection.close()
            if connection.pool:
                connection.close_pool()


def process(connection: Any) -> int:
    """Return the id of the server process of the connection, and release the connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (found,) = cursor.fetchone()
    connection.close()
    return int(found)


def test_a_connection_closed_by_the_server_is_not_reused(connection: Any, server: Postgres) -> None:
    first = process(connection)
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 60000)", [first])
    assert process(connection) != first


def test_a_statement_in_a_frozen_server_times_out(connection: Any, server: Postgres) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        server.freeze()
        begun = time.monotonic()
        with database_timeout(0.2), pytest.raises(OperationalError, match="not answered"):
            cursor.execute("SELECT 2")
        assert time.monotonic() - begun < SOON
    assert not connection.is_usable()


def test_a_frozen_server_fails_other_callers_at_once(
    connection: Any, server: Postgres, breaker: CircuitBreaker
) -> None:
    process(connection)
    server.freeze()
    begun = time.monotonic()
    for _ in range(2):
        with pytest.raises(OperationalError):
            process(connection)
    assert time.monotonic() - begun < SOON
    assert breaker.is_open
    breaker._trial.acquire()  # as if another thread were trying
    with pytest.raises(OperationalError, match="is unavailable"):
        process(connection)
    breaker._trial.release()


def test_connections_work_again_after_a_thaw(connection: Any, server: Postgres, breaker: CircuitBreaker) -> None:
    process(connection)
    server.freeze()
    while not breaker.is_open:
        with suppress(OperationalError):
            process(connection)
    server.thaw()

    def is_back() -> bool:
        with suppress(OperationalError):
            return bool(process(connection))
        return False

    assert eventually(is_back, within=SOON)
    assert not breaker.is_open


def test_without_timeouts_a_call_may_wait(connection: Any) -> None:
    with connection.cursor() as cursor:
        with database_timeout(0.05), database_timeout(60):
            cursor.execute("SELECT pg_sleep(0.1)")
        cursor.execute("SELECT pg_sleep(0.1)")
        assert cursor.fetchone() == ("",)
