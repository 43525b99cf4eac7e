"""The Celery application; tasks are found in each app's `tasks` module."""

from __future__ import annotations

import os

from celery import Celery, signals
from django_structlog.celery.steps import DjangoStructLogInitStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("talon")
# Threads other than the importing one (requests, the embedded worker) find the application by this default alone.
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)


@signals.worker_init.connect
def serve_metrics(**_: object) -> None:
    """Serve the worker's metrics on METRICS_PORT, those of its child processes with them."""
    from django.conf import settings

    if not settings.METRICS_PORT:
        return
    from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    start_http_server(settings.METRICS_PORT, registry=registry)
