"""Celery tasks of the accounts."""

from __future__ import annotations

from celery import shared_task

from accounts.housekeeping import KINDS
from games.housekeeping import remove_aged


@shared_task(name="talon.clean_accounts")
def clean_accounts() -> int:
    """Delete old guests and sessions."""
    return remove_aged(KINDS)
