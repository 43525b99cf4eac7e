"""Retention of appeals and reports, counted from their answers."""

from __future__ import annotations

from typing import Final

from games.appeals import appeals, reports
from games.appeals.models import Appeal, Report
from games.core.retention import Aged

KINDS: Final = (
    Aged(Appeal, "appeals, counted from their answers", appeals.KEPT, "answered_at"),
    Aged(Report, "reports of games, counted from their answers", reports.KEPT, "answered_at"),
)
