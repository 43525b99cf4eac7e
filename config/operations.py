"""Liveness, readiness and metrics, answered before everything else and under any host name."""

from __future__ import annotations

import hmac
import queue
import threading
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any, Final

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django_prometheus.exports import ExportToDjangoView
from prometheus_client import generate_latest

import games.metrics  # noqa: F401 - registers what play counts, in every process
from config.errors import json_answer
from config.gauges import standing_registry, waiting
from games.errors import ErrorCode, Refusal

LIVENESS: Final = "/healthz"
READINESS: Final = "/readyz"
METRICS: Final = "/metrics"

#: Seconds that the metrics wait for the database; Prometheus waits for ten.
METRICS_PATIENCE: Final = 3.0

_migrated = False
_standing = standing_registry(lambda: {"database": _check_database_soon(), "redis": _check_redis()})


class OperationsMiddleware:
    """Serves /healthz, /readyz and /metrics."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._views = {LIVENESS: alive, READINESS: ready, METRICS: metrics}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the probe or pass the request on."""
        view = self._views.get(request.path)
        return view(request) if view else self._get_response(request)


def alive(_request: HttpRequest) -> HttpResponse:
    """Whether the process answers; nothing else is checked."""
    return JsonResponse({"status": "ok"})


def ready(_request: HttpRequest) -> HttpResponse:
    """Whether the process can serve players: 200, or 503 naming what is missing.

    `verification` is for information only: without workers the site still plays, and ranks later.
    """
    checks = {"database": _check_database(), "migrations": _check_migrations(), "redis": _check_redis()}
    failed = sorted(name for name, state in checks.items() if state not in {"ok", "unused"})
    if failed:
        return json_answer(Refusal(ErrorCode.NOT_READY, f"Not ready: {', '.join(failed)}.", **checks))
    return JsonResponse({"status": "ok", "checks": checks, "verification": _verification()})


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics, for clients with METRICS_TOKEN; if it is not set, for this machine only."""
    if not _may_read_metrics(request):
        return json_answer(Refusal(ErrorCode.FORBIDDEN, "Metrics need the bearer token in METRICS_TOKEN."))
    response: HttpResponse = ExportToDjangoView(request)
    response.content += generate_latest(_standing)
    return response


def _check_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"


def _check_database_soon() -> str:
    """The same, for whoever cannot wait as long for a connection as a page can: beside this thread, which goes on."""
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def check() -> None:
        try:
            answers.put(_check_database())
        finally:
            connection.close()  # back to the pool

    threading.Thread(target=check, name="check", daemon=True).start()
    try:
        return answers.get(timeout=METRICS_PATIENCE)
    except queue.Empty:
        return "unreachable"


def _check_migrations() -> str:
    """Whether this code's migrations are applied. Not checked again once they are."""
    global _migrated  # noqa: PLW0603
    if not _migrated:
        try:
            executor = MigrationExecutor(connection)
            _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError:
            return "unknown"
    return "ok" if _migrated else "unapplied"


def _check_redis() -> str:
    """How the Redis servers are; one that is away is enough for none to be well."""
    if not settings.REDIS_SERVERS:
        return "unused"
    import redis  # noqa: PLC0415 - 7 MB that the embedded site does without

    from config.caches import TIMEOUT  # noqa: PLC0415

    try:  # not through the cache, which tolerates an outage of Redis
        for url in settings.REDIS_SERVERS:
            with redis.Redis.from_url(url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT) as server:
                server.ping()
    except (redis.RedisError, OSError):
        return "unreachable"
    return "ok"


def _verification() -> dict[str, Any]:
    """How many finished attempts are pending, and for how long the oldest has been."""
    pending, oldest = waiting(timezone.now())
    return {"pending": pending, "oldest_seconds": round(oldest, 1)}


def _may_read_metrics(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
