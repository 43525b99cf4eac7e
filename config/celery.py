"""Celery application. Tasks live in each app's `tasks` module."""

from __future__ import annotations

import os
import time

from celery import Celery, Task, signals
from django.conf import settings
from django.db import close_old_connections, connections
from django_structlog.celery.steps import DjangoStructLogInitStep
from kombu.transport import TRANSPORT_ALIASES

from config.processes.start_check import explained
from games.core import metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks are for development: a worker would load all pages for them, and take a third longer to start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# Loaded only where Redis is used.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "config.backends.broker:Transport")
app = Celery("talon")
# Other threads (requests, the embedded worker) find the application only through this default.
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)


@app.on_configure.connect
@explained()
def load_settings(**_: object) -> None:
    """Load the settings, of which a wrong one ends worker and beat with one sentence."""
    settings.DATABASES  # noqa: B018 - loads them


@signals.worker_process_init.connect
def use_single_connection(**_: object) -> None:
    """Use a single database connection in a child process, which runs one task at a time: a pool starts threads."""
    for alias in connections:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        connections.settings[alias]["CONN_MAX_AGE"] = None


_TRY_AFTER = 1.0  # idle seconds; checking a connection in steady use would cost a round trip
_used_at = 0.0


@signals.task_prerun.connect
def check_connections(task: Task, **_: object) -> None:
    """Close failed database connections, and check idle ones before their next use."""
    global _used_at
    if task.request.is_eager:
        return
    idle, _used_at = time.monotonic() - _used_at, time.monotonic()
    if idle > _TRY_AFTER or any(connection.errors_occurred for connection in connections.all(initialized_only=True)):
        close_old_connections()


@signals.task_postrun.connect
def count_task(task: Task, state: str | None = None, **_: object) -> None:
    """Count a finished task by its state."""
    metrics.TASKS.labels(task.name, state or "IGNORED").inc()


@signals.worker_ready.connect
def request_sealed_deals(**_: object) -> None:
    """Check the stock of sealed deals when a worker starts, as beat's first round comes a minute later."""
    app.send_task("talon.fill_sealed")


@signals.worker_init.connect
def serve_metrics(**_: object) -> None:
    """Serve the metrics of the worker and its child processes on METRICS_PORT."""
    if not settings.METRICS_PORT:
        return
    # Imported here because only a worker that serves metrics needs them.
    from prometheus_client import REGISTRY, CollectorRegistry, ProcessCollector, start_http_server  # noqa: PLC0415
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

    from config.observability.state_metrics import Children  # noqa: PLC0415

    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        ProcessCollector(registry=registry)
    registry.register(Children())
    start_http_server(settings.METRICS_PORT, registry=registry)
