"""Retention rule for puzzle runs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from games.core.retention import Aged, rows
from games.puzzles.models import PuzzleRun


def remove_runs(before: datetime, size: int) -> int:
    """Delete up to `size` runs of days before then, and return their number."""
    return rows(PuzzleRun.objects.filter(day__lt=before.date()), size)


KINDS: Final = (Aged(PuzzleRun, "puzzle runs", timedelta(days=365), remove_runs),)
