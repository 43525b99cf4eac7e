"""Celery tasks of analyses."""

from __future__ import annotations

from celery import shared_task

from games.analysis import working


@shared_task(name="talon.analyse")
def analyse() -> None:
    """Have a thread of this worker make the analyses that wait; beat makes up for a lost task and for dead workers."""
    working.work_soon()
