"""States of a search: to be continued, a win found, no win exists, ended without a verdict, the set of keys is full."""

from __future__ import annotations

from typing import Final

RUNNING: Final = 0
WON: Final = 1
LOST: Final = 2
SPENT: Final = 3
FULL: Final = 4
