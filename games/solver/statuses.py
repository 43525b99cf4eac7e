"""Statuses of a search: to be continued, win found, no win exists, ended without a verdict, key set full."""

from __future__ import annotations

from typing import Final

RUNNING: Final = 0
WON: Final = 1
LOST: Final = 2
SPENT: Final = 3
FULL: Final = 4
