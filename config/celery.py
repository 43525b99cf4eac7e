"""The Celery application; tasks are found in each app's `tasks` module."""

from __future__ import annotations

import os
import time

from celery import Celery, Task, signals
from django.conf import settings
from django.db import close_old_connections, connections
from django_structlog.celery.steps import DjangoStructLogInitStep

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker.install()
app = Celery("talon")
# Threads other than the importing one (requests, the embedded worker) find the application by this default alone.
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)


@signals.worker_process_init.connect
def keep_one_connection(**_: object) -> None:
    """Hold a single connection in a child process, which does one task at a time; a pool would start threads."""
    for alias in connections:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        connections.settings[alias]["CONN_MAX_AGE"] = None


_TRY_AFTER = 1.0  # s without a task; a connection in steady use needs no trial, which costs an exchange
_used_at = 0.0


@signals.task_prerun.connect
def mend_connections(task: Task, **_: object) -> None:
    """Drop connections on which something failed, and have idle ones tried before their next use."""
    global _used_at
    if task.request.is_eager:
        return
    idle, _used_at = time.monotonic() - _used_at, time.monotonic()
    if idle > _TRY_AFTER or any(connection.errors_occurred for connection in connections.all(initialized_only=True)):
        close_old_connections()


@signals.worker_ready.connect
def fill_at_once(**_: object) -> None:
    """See to the stock of sealed deals as soon as there is a worker: beat's first round comes a minute later."""
    app.send_task("talon.fill_sealed")


@signals.worker_init.connect
def serve_metrics(**_: object) -> None:
    """Serve the worker's metrics on METRICS_PORT, those of its child processes with them."""
    if not settings.METRICS_PORT:
        return
    # Only a worker that serves metrics needs them.
    from prometheus_client import REGISTRY, CollectorRegistry, start_http_server  # noqa: PLC0415
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    start_http_server(settings.METRICS_PORT, registry=registry)
