"""Lookup of attempts named on the command line, by public id or primary key."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import CommandError

from games.models import Attempt

#: Exit code for an object that does not exist.
NOT_FOUND = 2


def finished_attempt(text: str) -> Attempt:
    """Return the finished attempt with this public id or primary key.

    :raises CommandError: if there is none.
    """
    by_id = {"pk": int(text)} if text.isascii() and text.isdigit() and len(text) < 19 else {"public_id": _uuid(text)}
    attempt = Attempt.objects.filter(**by_id).first()
    if attempt is None or not attempt.is_over:
        raise CommandError(f"There is no finished attempt {text!r}.", returncode=NOT_FOUND)
    return attempt


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CommandError(f"{text!r} is not the id of an attempt.", returncode=NOT_FOUND) from None
