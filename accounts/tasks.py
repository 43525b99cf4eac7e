"""Celery tasks of the accounts."""

from __future__ import annotations

from celery import shared_task
from django.utils import translation

from accounts.housekeeping import KINDS
from accounts.lifecycle.bans import end_due
from accounts.push import race_reminders, reminders
from accounts.sign_in import email_addresses
from games.core.retention import remove_aged


@shared_task(name="talon.clean_accounts")
def clean_accounts() -> int:
    """Delete old guests and sessions."""
    return remove_aged(KINDS)


@shared_task(name="talon.end_bans")
def end_bans() -> int:
    """Lift expired bans."""
    return end_due()


@shared_task(name="talon.remind")
def remind() -> int:
    """Send the daily reminders that are due."""
    return reminders.remind_due()


@shared_task(name="talon.remind_of_races")
def remind_of_races() -> int:
    """Send the reminders of the race of the day that are due."""
    return race_reminders.remind_due()


@shared_task(name="talon.send_reset_mail", autoretry_for=(OSError,), retry_backoff=30, max_retries=5)
def send_reset_mail(owner_id: int, language: str) -> None:
    """Send a link to choose a new password; repeated while the mail server refuses."""
    with translation.override(language):
        email_addresses.send_reset_mail(owner_id)
