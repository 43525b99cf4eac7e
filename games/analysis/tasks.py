"""Celery tasks of analyses."""

from __future__ import annotations

from celery import shared_task

from games.analysis import queue_worker


@shared_task(name="talon.analyse")
def analyse() -> None:
    """Start a background thread that processes queued analyses; beat's runs make up for lost tasks and dead workers."""
    queue_worker.processing.start()
