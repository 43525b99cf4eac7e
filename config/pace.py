"""How many of those who wait are let in a second: more and more while the process has time, fewer while it is full.

Whoever is let in has pages to load for some seconds to come, so that a process knows late what it has taken on. Sixty
who are let in at once are a flood of their own.
"""

from __future__ import annotations

from typing import Final

#: How many are let in a second by the first line, and at the least.
FIRST: Final = 4.0
LEAST: Final = 0.5
#: By how much the pace grows in a second with time to spare, and what is left of it after a second without.
GROWTH: Final = 0.5
BACK: Final = 0.5
#: How many may go in at once after a while in which nobody asked.
AT_ONCE: Final = 4


class Pace:
    """The pace of one process."""

    def __init__(self) -> None:
        self.rate = FIRST
        """Newcomers a second."""
        self._ready = float(AT_ONCE)

    def note(self, *, is_full: bool, elapsed: float) -> None:
        """For so many seconds the process was full or was not. The pace grows only where it is what holds them back."""
        if is_full:
            self.rate = max(LEAST, self.rate * BACK**elapsed)
            self._ready = 0.0
            return
        if self._ready < 1:
            self.rate += GROWTH * elapsed
        self._ready = min(AT_ONCE, self._ready + self.rate * elapsed)

    def take(self) -> bool:
        """Whether one more may go in now, who then has."""
        if self._ready < 1:
            return False
        self._ready -= 1
        return True
