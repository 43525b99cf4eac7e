"""Outages in the log: a line when one begins and one when it ends, and tracebacks only of other errors."""

from __future__ import annotations

import logging
import logging.config
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import structlog
from billiard.exceptions import RestartFreqExceeded
from celery.beat import SchedulingError
from django.conf import settings
from django.db import OperationalError
from kombu.exceptions import OperationalError as QueueError
from psycopg_pool import PoolTimeout

from config.observability import outages
from config.observability.logs import logging_config
from config.observability.outages import server_of
from deploy.servers import eventually

ADDRESS = "127.0.0.1:6000"


def caused_by(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def while_handling(error: Exception, context: BaseException) -> Exception:
    error.__context__ = context
    return error


READ_ONLY = redis.ReadOnlyError("You can't write against a read only replica.")


@pytest.mark.parametrize(
    ("error", "server"),
    [
        (redis.ConnectionError("Connection refused."), "Redis"),
        (redis.TimeoutError("Timeout reading from socket"), "Redis"),
        (READ_ONLY, "Redis"),
        (redis.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), "Redis"),
        (redis.ResponseError("Command # 1 (SET a b) of pipeline caused error: MISCONF Redis is configured"), "Redis"),
        (redis.ResponseError("UNBLOCKED force unblock from blocking operation"), "Redis"),
        (caused_by(QueueError("refused"), READ_ONLY), "Redis"),
        (while_handling(SchedulingError("not sent"), while_handling(QueueError("refused"), READ_ONLY)), "Redis"),
        (caused_by(OperationalError("gone"), psycopg.OperationalError("gone")), "PostgreSQL"),
        (psycopg.errors.AdminShutdown("terminating connection"), "PostgreSQL"),
        (PoolTimeout("couldn't get a connection"), "PostgreSQL"),
        (redis.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"), ""),
        (redis.DataError("Invalid input"), ""),
        (psycopg.errors.DeadlockDetected("deadlock detected"), ""),
        (psycopg.errors.QueryCanceled("canceling statement due to statement timeout"), ""),
        (OperationalError("database is locked"), ""),
        (while_handling(KeyError("a fault of ours"), READ_ONLY), ""),
        (None, ""),
    ],
)  # fmt: skip
def test_an_outage_is_told_from_other_errors(error: Exception | None, server: str) -> None:
    assert server_of(error) == server


class Server:
    """A server whose state the test sets."""

    state = "ok"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server()
    monkeypatch.setattr(outages, "probes_of", lambda _kind: {ADDRESS: lambda: server.state})
    monkeypatch.setattr(outages, "PROBE_EVERY", 0.01)
    monkeypatch.setattr(outages, "QUIET", 0.1)
    yield server
    server.state = "ok"
    eventually(lambda: not outages._errors)


@pytest.fixture
def lines(tmp_path: Path) -> Iterator[Callable[[], list[str]]]:
    """Return a function that reads the lines logged so far, with the site's logging setup."""
    path = tmp_path / "log"
    config = logging_config(level="DEBUG", form="text")
    handler = {"class": "logging.FileHandler", "filename": str(path)}
    config["handlers"]["stderr"] |= handler
    logging.config.dictConfig(config)
    yield lambda: path.read_text().splitlines()
    for opened in list(logging.getLogger().handlers):
        opened.close()
    logging.config.dictConfig(settings.LOGGING)


def report(error: Exception, logger: str = "games", **extra: str) -> None:
    """Log an error with its traceback."""
    logging.getLogger(logger).error("failed", exc_info=error, extra=extra)


def test_an_outage_is_two_lines_however_many_errors(server: Server, lines: Callable[[], list[str]]) -> None:
    server.state = "not writable"
    for _ in range(200):
        report(READ_ONLY, "games.races.reconciler")
        try:
            raise READ_ONLY
        except redis.ReadOnlyError:
            structlog.get_logger("django_structlog").exception("task_failed")
        logging.getLogger("celery.worker.consumer.consumer").error("Cannot connect to %s: %s", ADDRESS, READ_ONLY)
    eventually(lines)
    report(RestartFreqExceeded("5 in 1s"), "celery.worker.consumer.consumer")
    logging.getLogger("kombu").warning("reconnection attempt failed")
    [begin] = lines()
    assert f"Redis at {ADDRESS} is not writable: live updates and new verdicts wait" in begin
    assert "ReadOnlyError: You can't write against a read only replica." in begin
    server.state = "ok"
    eventually(lambda: len(lines()) > 1)
    [_, end] = lines()
    assert re.search(rf"Redis at {ADDRESS} is back after \d+ s; errors not logged: 600", end)
    logging.getLogger("kombu").warning("something else")
    assert "something else" in lines()[2]


def test_each_kind_of_server_has_its_own_outage(server: Server, lines: Callable[[], list[str]]) -> None:
    server.state = "unreachable"
    report(psycopg.OperationalError("connection refused"))
    report(TimeoutError(), server="Redis")  # of a channel layer that hangs
    eventually(lambda: len(lines()) == 2)
    assert {line.split()[3] for line in lines()} == {"PostgreSQL", "Redis"}


def test_other_errors_keep_their_tracebacks_during_an_outage(server: Server, lines: Callable[[], list[str]]) -> None:
    server.state = "unreachable"
    report(READ_ONLY)
    eventually(lines)
    for logger in ("games", "celery.worker.consumer"):
        report(KeyError("a fault of ours"), logger)
    report(TimeoutError())
    logging.getLogger("games").warning("something else")
    assert [line for line in lines() if line.startswith(("KeyError", "TimeoutError"))] == [
        *["KeyError: 'a fault of ours'"] * 2,
        "TimeoutError",
    ]
    assert "something else" in lines()[-1]


def test_a_site_without_such_a_server_logs_the_error(
    monkeypatch: pytest.MonkeyPatch, lines: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(outages, "probes_of", lambda _kind: {})
    report(READ_ONLY)
    assert lines()[-1].startswith("redis.exceptions.ReadOnlyError")


def test_probes_name_the_servers_without_passwords(settings: Any) -> None:
    settings.REDIS_SERVERS = ["redis://:secret@10.0.0.1:6379/0", "redis://10.0.0.2:6380/0"]
    assert list(outages.probes_of("Redis")) == ["10.0.0.1:6379", "10.0.0.2:6380"]
