"""Connections of the pool are looked at before they are given; the server is asked only after a while."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import environ
import psycopg
import pytest
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from config.postgresql import base


@pytest.fixture
def connection(postgres_url: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
    """The connection of a thread, from a pool of one; no test database is needed for it."""
    settings = environ.Env.db_url_config(postgres_url)
    pool = {"min_size": 1, "max_size": 1, "timeout": 30}
    handler = ConnectionHandler({"default": {**settings, "ENGINE": "config.postgresql", "OPTIONS": {"pool": pool}}})
    connection: Any = handler["default"]
    with django_db_blocker.unblock():
        try:
            yield connection
        finally:
            connection.close()
            connection.close_pool()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the server is asked by way of trial."""
    sent: list[str] = []
    execute = psycopg.Connection.execute

    def listening(self: Any, query: Any, *given: Any, **named: Any) -> Any:
        sent.append(query)
        return execute(self, query, *given, **named)

    monkeypatch.setattr(psycopg.Connection, "execute", listening)
    return sent


def process(connection: Any) -> int:
    """The server's process that serves the connection; it is given back to the pool."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (found,) = cursor.fetchone()
    connection.close()
    return int(found)


def test_one_in_use_is_not_tried(connection: Any, asked: list[str]) -> None:
    first = process(connection)
    asked.clear()
    assert [process(connection) for _ in range(3)] == [first] * 3
    assert asked == []


def test_one_that_was_idle_is_tried(connection: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = process(connection)
    asked.clear()
    now = time.monotonic()
    monkeypatch.setattr("config.postgresql.base.time.monotonic", lambda: now + base.ASKED_AFTER + 1)
    assert process(connection) == first
    assert asked == [""]


def test_one_that_the_server_has_ended_is_not_given(connection: Any, postgres_url: str) -> None:
    first = process(connection)
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 60000)", [first])
    assert process(connection) != first
