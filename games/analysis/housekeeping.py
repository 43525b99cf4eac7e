"""Retention rule for analyses."""

from __future__ import annotations

from typing import Final

from games.analysis.analyses import KEPT
from games.analysis.models import Analysis
from games.core.retention import Aged, rows

KINDS: Final = (
    Aged(
        Analysis,
        "analyses of games, counted from their end",
        KEPT,
        lambda before, size: rows(Analysis.objects.filter(done_at__lt=before), size),
    ),
)
