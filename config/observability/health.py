"""Liveness and readiness probes, answered in the ASGI layer so that they never wait for a page thread or the database.

Liveness means that the event loop runs. Readiness means that the process can serve: it is not stopping, and its
database works. What is missing besides only makes it degraded, since a balancer that removes all processes would close
a site that still works.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from config.observability.outages import redis_state
from config.observability.state_metrics import waiting
from games.core import table_capacity
from games.core.asgi_types import Application, Receive, Scope, Send
from games.core.errors import ErrorCode, Refusal
from games.core.thread_pool import ThreadPool
from games.db.migration_check import unapplied
from games.db.timeouts import database_timeout
from games.deals.publishing import todays_deals
from games.live.sockets.eviction import open_sockets
from games.models import Presence
from games.rules import CATALOGUE
from games.rules.version import __version__

log = logging.getLogger(__name__)

LIVENESS: Final = "/healthz"
READINESS: Final = "/readyz"

#: Timeouts in seconds: of the readiness response, and of one statement in its check.
ANSWER_WITHIN: Final = 1.8
STATEMENT_SECONDS: Final = 1.5

Checks = dict[str, str]
"""Results by check name: "ok", "unused", or a description of the problem."""

#: An overloaded process is ready: its newcomers wait in its queue, and admitted players still need its pages.
_FINE: Final = {"ok", "unused", "full"}
#: Checks whose failure leaves a process ready. Without Redis, games start and moves are acknowledged.
_DEGRADING: Final = {"deals", "redis", "tables"}
_migrated = False


class Health:
    """ASGI middleware that answers the probes and passes all other requests on.

    `is_full` returns True if the process admits no newcomers, and `separate_tables` is True in a web process without
    tables of its own.
    """

    def __init__(self, application: Application, is_full: Callable[[], bool], *, separate_tables: bool = False) -> None:
        self._application = application
        self._is_full = is_full
        self._check = _SharedCheck("readiness", lambda: check(separate_tables))
        self._redis = _SharedCheck("redis readiness", check_redis)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["path"] == LIVENESS:
            await _send(scope, send, 200, {"status": "ok", "version": __version__})
        elif scope["path"] == READINESS:
            await self._answer_readiness(scope, send)
        else:
            await self._application(scope, receive, send)

    async def _answer_readiness(self, scope: Scope, send: Send) -> None:
        # Apart, because a Redis that is frozen takes most of the time.
        found, redis = await asyncio.gather(self._check.result(), self._redis.result())
        late = f"no answer within {ANSWER_WITHIN} s"
        checks: Checks = {"redis": redis or late, "admission": self._admission()}
        checks |= found["checks"] if found else {"database": late}
        if checks["redis"] not in _FINE and "tables" in checks:
            checks["tables"] = "unused"  # they report through Redis
        failed = sorted(name for name, state in checks.items() if state not in _FINE)
        if set(failed) <= _DEGRADING:
            state = {"status": "degraded", "degraded": failed} if failed else {"status": "ok"}
            await _send(scope, send, 200, {**state, **(found or {}), "checks": checks})
        else:
            refusal = Refusal(ErrorCode.NOT_READY, f"Not ready: {', '.join(failed)}.", **checks)
            await _send(scope, send, refusal.code.status, refusal.to_json())

    def _admission(self) -> str:
        if open_sockets().is_draining:
            return "stopping"
        return "full" if self._is_full() else "ok"


class _SharedCheck:
    """A check in a thread of its own. Probes that arrive while it runs share its result."""

    def __init__(self, name: str, function: Callable[[], Any]) -> None:
        self._name = name
        self._function = function
        self._thread = ThreadPool(name, 1)
        self._running: asyncio.Task[Any] | None = None

    async def result(self) -> Any:  # noqa: ANN401 - the function's
        """Return the result of the running check, or of a new one; None if it fails or takes too long."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        running = self._running  # another probe may start the next
        done, _ = await asyncio.wait({running}, timeout=ANSWER_WITHIN)
        return running.result() if done else None

    async def _run(self) -> Any:  # noqa: ANN401 - as above
        try:
            return await self._thread.run(_with_new_connections, self._function)
        except Exception:
            log.exception("%s not checked", self._name)
            return None


def check(separate_tables: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    """Check everything a process needs for a visitor to start a game, except Redis.

    `verification` is informational: without workers the site still plays, and ranks later.
    """
    tables = table_capacity.readiness() if separate_tables else "unused"
    checks = {"tables": tables, "database": "unreachable"}
    try:
        with database_timeout(STATEMENT_SECONDS):
            checks["database"] = check_writable()
            if checks["database"] != "ok":
                return {"checks": checks}
            checks["migrations"] = _check_migrations()
            if checks["migrations"] == "ok":
                checks["deals"] = "ok" if len(todays_deals()) == len(CATALOGUE) else "missing"
            return {"checks": checks, "verification": _verification()}
    except DatabaseError:
        log.warning("the database failed a check", exc_info=True)
        return {"checks": checks | {"database": "failed"}}


def _with_new_connections(function: Callable[[], Any]) -> Any:  # noqa: ANN401 - the function's
    close_old_connections()
    try:
        return function()
    finally:
        close_old_connections()


def check_database() -> str:
    """Check that the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        log.warning("the database does not answer", exc_info=True)
        return "unreachable"
    return "ok"


def check_writable() -> str:
    """Check that the database accepts a row, which is rolled back."""
    if check_database() != "ok":
        return "unreachable"
    now = timezone.now()
    try:
        with transaction.atomic():
            Presence.objects.create(process=uuid.uuid4().hex, seen_at=now, day=now.date(), players=0, tables={})
            transaction.set_rollback(True)
    except DatabaseError:
        log.warning("the database refuses writes", exc_info=True)
        return "not writable"
    return "ok"


def check_redis() -> str:
    """Check that every Redis server accepts a key; one failure is enough to report the whole set."""
    if not settings.REDIS_SERVERS:
        return "unused"
    return next((state for url in settings.REDIS_SERVERS if (state := redis_state(url)) != "ok"), "ok")


def _check_migrations() -> str:
    """Check that this code's migrations are applied, and stop checking once they are."""
    global _migrated  # noqa: PLW0603
    if not _migrated:
        _migrated = not unapplied()
    return "ok" if _migrated else "unapplied"


def _verification() -> dict[str, Any]:
    """Return the number of pending verdicts and the age of the oldest, in seconds."""
    pending, oldest = waiting(timezone.now())
    return {"pending": pending, "oldest_seconds": round(oldest, 1)}


async def _send(scope: Scope, send: Send, status: int, data: dict[str, Any]) -> None:
    body = json.dumps(data).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"cache-control", b"no-store"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
