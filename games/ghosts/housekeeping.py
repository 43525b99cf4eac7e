"""Retention of notices. Challenges and answers are deleted with their attempts."""

from __future__ import annotations

from typing import Final

from games.ghosts.inbox import KEPT
from games.ghosts.models import Notice
from games.housekeeping import Aged, rows

KINDS: Final = (
    Aged(Notice, "notices", KEPT, lambda before, size: rows(Notice.objects.filter(made_at__lt=before), size)),
)
