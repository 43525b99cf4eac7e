"""Outages of PostgreSQL and Redis in the log: one line when one begins and one when it ends, per process.

A filter holds back every record of their errors, a library's included. The first one starts a thread that probes the
servers and writes both lines. All other errors are logged as usual, with their tracebacks.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg
from django.conf import settings

from games.db.timeouts import connect_directly, database_timeout

log = logging.getLogger(__name__)

EFFECTS: Final = {
    "PostgreSQL": "pages come from copies or not at all, moves and verdicts wait",
    "Redis": "live updates and new verdicts wait, each process counts limits on its own",
}
#: Seconds between two probes, those without a failure that end an outage, and the timeouts of a probe of Redis. Calls
#: that began during the outage may fail for some time after it.
PROBE_EVERY: Final = 1.0
QUIET: Final = 5.0
REDIS_TIMEOUT: Final = 0.5

#: SQL states of a server that is away, full or shutting down. Other operational errors, like a deadlock, are no outage.
_AWAY: Final = ("08", "53", "57P")
#: Replies of a Redis server that refuses commands.
_REFUSALS: Final = re.compile(r"read only replica|maxmemory|\b(MASTERDOWN|MISCONF|NOREPLICAS|UNBLOCKED)\b")
#: Libraries whose own errors may result from a server's.
_LIBRARIES: Final = {"celery", "django", "kombu", "psycopg", "psycopg_pool", "redis"}
#: Loggers that report attempts to reconnect, without the error or as one of their own.
_RECONNECTING: Final = ("celery.beat", "celery.worker.consumer", "kombu", "py.warnings")

#: Number of errors in each outage that goes on.
_errors: Final[dict[str, list[int]]] = {}
os.register_at_fork(after_in_child=_errors.clear)  # a child has no threads


class OutageFilter(logging.Filter):
    """Filter that holds back the records of known outages."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for an error of a server, and for attempts to reconnect during an outage."""
        error = _error_of(record)
        server = server_of(error) or getattr(record, "server", "") * isinstance(error, TimeoutError)
        if not server or not probes_of(server):
            is_attempt = error is None or type(error).__name__ == "RestartFreqExceeded"
            return not (_errors and is_attempt and record.name.startswith(_RECONNECTING))
        count = _errors.setdefault(server, new := [0])
        count[0] += 1
        if count is new:
            threading.Thread(
                target=_watch, args=(server, count, f"{type(error).__name__}: {error}"), daemon=True
            ).start()
        return False


def server_of(error: BaseException | None) -> str:
    """Return the kind of server whose outage an error reports, or an empty string."""
    redis: Any = sys.modules.get("redis.exceptions")
    while error is not None:
        if isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith(_AWAY):
            return "PostgreSQL"
        if redis and isinstance(error, (redis.ConnectionError, redis.TimeoutError)):
            return "Redis"
        if redis and isinstance(error, redis.ResponseError) and _REFUSALS.search(str(error)):
            return "Redis"
        is_own = type(error).__module__.partition(".")[0] not in _LIBRARIES
        error = error.__cause__ or (None if is_own else error.__context__)
    return ""


def probes_of(server: str) -> dict[str, Callable[[], str]]:
    """Return a probe for each of the site's servers of a kind, by address."""
    if server == "Redis":
        return {urlsplit(url).netloc.rpartition("@")[2]: partial(redis_state, url) for url in settings.REDIS_SERVERS}
    used = {alias: found for alias, found in settings.DATABASES.items() if found["ENGINE"].endswith("postgresql")}
    return {f"{found['HOST']}:{found['PORT']}": partial(_database_state, alias) for alias, found in used.items()}


def redis_state(url: str) -> str:
    """Return `ok`, `not writable` or `unreachable`. A read-only or full server answers a ping, so the probe writes."""
    import redis  # noqa: PLC0415 - 7 MB that the embedded site does without

    try:
        with redis.Redis.from_url(url, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT) as client:
            client.set("talon.probe", 1, ex=10)
    except redis.ResponseError:
        return "not writable"
    except (redis.RedisError, OSError):
        return "unreachable"
    return "ok"


def _database_state(alias: str) -> str:
    try:
        with database_timeout(PROBE_EVERY), connect_directly(alias) as connection:
            connection.execute("SELECT 1")
    except (psycopg.Error, OSError):
        return "unreachable"
    return "ok"


def _watch(server: str, count: list[int], error: str) -> None:
    """Log the beginning of an outage, wait until the servers answer and errors have stopped, and log the end."""
    began, seen, probes = time.monotonic(), 0, probes_of(server)
    failing = {address: state for address, probe in probes.items() if (state := probe()) != "ok"}
    name, state = f"{server} at {', '.join(failing or probes)}", next(iter(failing.values()), "failing")
    log.warning("%s is %s: %s; first error: %s", name, state, EFFECTS[server], " ".join(error.split()))
    ended = time.monotonic()
    while time.monotonic() < ended + QUIET:
        time.sleep(PROBE_EVERY)
        if count[0] != seen or any(probe() != "ok" for probe in probes.values()):
            seen, ended = count[0], time.monotonic()
    del _errors[server]
    log.warning("%s is back after %.0f s; errors not logged: %d", name, ended - began, seen)


def _error_of(record: logging.LogRecord) -> BaseException | None:
    """Return the error that a record reports: as its exception, in structlog's event, or as an argument."""
    info = record.exc_info or (isinstance(record.msg, dict) and record.msg.get("exc_info"))
    error = sys.exception() if info is True else info[1] if isinstance(info, tuple) else info
    others = record.args if isinstance(record.args, tuple) else ()
    return next((found for found in (error, *others) if isinstance(found, BaseException)), None)
