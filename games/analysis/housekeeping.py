"""Retention rule for analyses."""

from __future__ import annotations

from typing import Final

from games.analysis.analyses import RETENTION
from games.analysis.models import Analysis
from games.core.retention import Aged

KINDS: Final = (Aged(Analysis, "analyses of games, counted from their end", RETENTION, "done_at"),)
