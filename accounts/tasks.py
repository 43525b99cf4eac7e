"""Celery tasks of the accounts."""

from __future__ import annotations

from celery import shared_task

from accounts.guests import expire_guests


@shared_task(name="talon.expire_guests")
def expire_idle_guests() -> int:
    """Remove guests who never began an attempt."""
    return expire_guests()
