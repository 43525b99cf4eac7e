"""Retention rule for storms."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from games.core.retention import Aged, rows
from games.puzzles.models import StormRun


def remove_storms(before: datetime, size: int) -> int:
    """Delete up to `size` storms of days before then, and return their number."""
    return rows(StormRun.objects.filter(day__lt=before.date()), size)


KINDS: Final = (Aged(StormRun, "puzzle storms", timedelta(days=365), remove_storms),)
