"""Retention of appeals and reports, counted from their answers."""

from __future__ import annotations

from typing import Final

from games.appeals import appeals, reports
from games.appeals.models import Appeal, Report
from games.core.retention import Aged, rows

KINDS: Final = (
    Aged(
        Appeal,
        "appeals, counted from their answers",
        appeals.KEPT,
        lambda before, size: rows(Appeal.objects.filter(answered_at__lt=before), size),
    ),
    Aged(
        Report,
        "reports of games, counted from their answers",
        reports.KEPT,
        lambda before, size: rows(Report.objects.filter(answered_at__lt=before), size),
    ),
)
