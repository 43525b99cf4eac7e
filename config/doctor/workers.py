"""Checks of the workers, beat, and the work that waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from celery import current_app
from django.conf import settings
from django.db import connection
from django.utils import timezone

from config.doctor.finding import Finding
from config.observability.state_metrics import missing_deals, overdue_attempt, waiting
from games.core.table_capacity import readiness, versions
from games.deals import sealed_stock
from games.rules.version import __version__

#: Seconds that a worker has to answer.
ANSWER_SECONDS: Final = 2.0
#: Seconds after which work that waits is a fault, as in the alerts.
VERDICT_SECONDS: Final = 120
OVERDUE_SECONDS: Final = 600
#: Service that serves each queue (deploy/Procfile).
SERVICES: Final = {"verdicts": "worker", "analysis": "analyst", "puzzles": "analyst"}


def workers() -> Iterator[Finding]:
    """Yield the queues that no worker serves. The embedded site's workers are threads in its process."""
    if not settings.REDIS_SERVERS:
        return
    answers = current_app.control.inspect(timeout=ANSWER_SECONDS).active_queues() or {}
    served = {queue["name"] for queues in answers.values() for queue in queues}
    services: dict[str, list[str]] = {}
    for queue in settings.CELERY_TASK_QUEUES:
        if queue.name not in served:
            services.setdefault(SERVICES.get(queue.name, "keeper"), []).append(queue.name)
    for service, queues in services.items():
        cause = f"No worker serves {' and '.join(queues)}: the service {service} does not run."
        yield Finding("worker", cause, f"docker compose up -d {service}")


def beat() -> Iterator[Finding]:
    """Yield that no beat sends the periodic tasks. Several do no harm, as one leads."""
    if not settings.REDIS_SERVERS:
        return
    import redis  # noqa: PLC0415 - 7 MB that the embedded site does without

    from config.backends.beat import NAME  # noqa: PLC0415 - needs Redis

    with redis.Redis.from_url(settings.BROKER_URL, socket_timeout=2, socket_connect_timeout=2) as broker:
        if not broker.exists(NAME):
            yield Finding("beat", "No beat sends the periodic tasks.", "docker compose up -d beat")


def queues() -> Iterator[Finding]:
    """Yield finished games that have waited too long for a verdict, or to be closed."""
    now = timezone.now()
    if (verdicts := waiting(now)).oldest_seconds > VERDICT_SECONDS:
        cause = f"{verdicts.attempts} finished games have no verdict, the oldest for {verdicts.oldest_seconds:.0f} s."
        yield Finding("verdicts", cause, "docker compose up -d worker, then: manage.py doctor --fix", fix="requeue")
    if (overdue := overdue_attempt(now)) > OVERDUE_SECONDS:
        cause = f"A game should have been closed {overdue:.0f} s ago: periodic tasks do not run."
        yield Finding("periodic_tasks", cause, "docker compose up -d beat keeper (embedded: make run)")


def deals() -> Iterator[Finding]:
    """Yield missing deals of today, and an empty stock. The embedded site makes deals when no one plays."""
    if missing := missing_deals(timezone.now())["today"]:
        yield Finding("deals", f"{missing} of today's deals are not published.", "manage.py fill_sealed")
    if not settings.SEALED_STOCK or connection.vendor == "sqlite":
        return
    if empty := [variant for variant, level in sealed_stock.levels().items() if not level.total()]:
        cause = f"No certified deals are in stock for {', '.join(empty)}."
        yield Finding("stock", cause, "docker compose up -d keeper, or: manage.py fill_sealed")


def tables() -> Iterator[Finding]:
    """Report if table processes are missing or run another version."""
    if settings.TABLES_ELSEWHERE and (state := readiness()) != "ok":
        cause = (
            f"The tables are {state}: no one can start a game." if state == "no room" else "No table process reports."
        )
        yield Finding("tables", cause, "docker compose up -d tables")
    if others := versions() - {__version__}:
        cause = f"This is version {__version__}, but table processes run {', '.join(sorted(others))}."
        yield Finding("versions", cause, "docker compose up -d web tables")
