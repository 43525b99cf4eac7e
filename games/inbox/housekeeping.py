"""Retention of notices. Challenges and answers are deleted with their attempts."""

from __future__ import annotations

from typing import Final

from games.core.retention import Aged
from games.inbox.models import Notice
from games.inbox.notices import KEPT

KINDS: Final = (Aged(Notice, "notices", KEPT, "made_at"),)
