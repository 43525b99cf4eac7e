"""Admission rate: waiting newcomers that a process admits per second, from the utilization law.

Little's law, applied to a server, says U = X D: the server is busy for a share U of the time if X newcomers arrive per
second and each keeps it busy for D seconds. So it can serve U / D of them per second at a target utilization U.
D is measured while newcomers wait: the time during which pages were in progress, divided by the newcomers admitted.
Players' pages count towards it, so the rate settles where the process is busy for that share of the time; what remains
is headroom for moves. Newcomers cause most of their load seconds after admission; until then the measured page rate
bounds the estimate.

Source: P. Denning, J. Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing Surveys 10 (3), 1978.
"""

from __future__ import annotations

import math
from typing import Final

#: Target utilization: the share of the time that pages may be in progress while newcomers wait.
UTILIZATION: Final = 0.7
#: Time constant of the moving averages, in seconds.
MEMORY: Final = 10.0
#: Starting values before the first measurement: busy seconds, pages served and newcomers admitted.
PRIOR: Final = (3.0, 300.0, 120.0)
#: Fewest and most pages that a newcomer is assumed to load.
FEWEST_PAGES, MOST_PAGES = 1, 8
#: Seconds without a page after which measuring stops: an outage says nothing about a process's speed.
OUTAGE: Final = 1.0
#: Burst size: seconds' worth of newcomers that may enter at once.
BURST: Final = 0.1


class AdmitRate:
    """The admission rate of one process, applied as a token bucket."""

    def __init__(self) -> None:
        self._busy, self._pages, self._let_in = PRIOR
        self._tokens = self._pause = 0.0

    @property
    def pages_per_second(self) -> float:
        """Pages served per busy second."""
        return self._pages / self._busy

    @property
    def per_second(self) -> float:
        """Newcomers admitted per second."""
        pages = self.pages_per_second
        return min(max(UTILIZATION * self._let_in / self._busy, pages / MOST_PAGES), pages / FEWEST_PAGES)

    def note(self, elapsed: float, *, busy: bool, pages: int, has_room: bool) -> None:
        """Record the last `elapsed` seconds: `busy` if pages were in progress, and the number of pages served."""
        self._pause = 0.0 if pages else self._pause + elapsed
        if self._pause < OUTAGE:
            decay = math.exp(-elapsed / MEMORY)
            self._pages = self._pages * decay + pages
            self._busy = max(self._busy * decay + elapsed * busy, 0.01)
            self._let_in *= decay
        rate = self.per_second
        self._tokens = min(self._tokens + rate * elapsed, max(1.0, rate * BURST)) if has_room else 0.0

    def take(self) -> bool:
        """Take a token and return True, or return False if none is left."""
        if self._tokens < 1:
            return False
        self._tokens -= 1
        self._let_in += 1
        return True
