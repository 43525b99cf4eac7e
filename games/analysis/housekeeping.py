"""Retention rule for analyses."""

from __future__ import annotations

from typing import Final

from games.analysis.analyses import KEPT
from games.analysis.models import Analysis
from games.housekeeping import Aged, rows

KINDS: Final = (
    Aged(
        Analysis,
        "analyses of games, since they were made",
        KEPT,
        lambda before, size: rows(Analysis.objects.filter(done_at__lt=before), size),
    ),
)
