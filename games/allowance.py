"""How many messages a connection may send."""

from __future__ import annotations

from time import monotonic
from typing import Final

#: Messages a second, and how many may come at once. It guards the server; what pace is human is for the verifier.
RATE: Final = 50.0
BURST: Final = 100.0


class Allowance:
    """A token bucket: it holds `BURST` and refills at `RATE`."""

    __slots__ = ("_at", "_left")

    def __init__(self) -> None:
        self._left = BURST
        self._at = monotonic()

    def spend(self) -> int:
        """Take one; returns 0, or after how many milliseconds one will be there."""
        now = monotonic()
        left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if left < 1:
            self._left = left
            return max(1, round((1 - left) / RATE * 1000))
        self._left = left - 1
        return 0
