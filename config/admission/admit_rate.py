"""How many waiting newcomers a process lets in per second: as many as it can serve, by the utilization law.

Little's law, applied to a server, says U = X D: it is busy for a share U of the time if X newcomers per second arrive
and each keeps it busy for D seconds. So it can serve 1 / D of them per second. D is measured while newcomers wait: the
time during which pages were in work, divided by the newcomers let in. Players' pages count as part of it, so the
estimate settles where the process is just busy. Newcomers cause most of their load seconds after they were let in,
and until then the measured page rate sets bounds.

Source: P. Denning, J. Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing Surveys 10 (3), 1978.
"""

from __future__ import annotations

import math
from typing import Final

#: Seconds over which the measurements are averaged.
MEMORY: Final = 10.0
#: What is assumed before anything is measured: seconds busy, pages served and newcomers let in.
PRIOR: Final = (3.0, 300.0, 120.0)
#: The pages that a newcomer loads: at least and at most.
FEWEST_PAGES, MOST_PAGES = 1, 8
#: Seconds without a page after which nothing is measured: an outage is not the pace of a process.
OUTAGE: Final = 1.0
#: Seconds' worth of newcomers that may go in at once.
BURST: Final = 0.1


class AdmitRate:
    """The rate of one process."""

    def __init__(self) -> None:
        self._busy, self._pages, self._let_in = PRIOR
        self._tokens = self._pause = 0.0

    @property
    def pages_per_second(self) -> float:
        """The pages that the process serves while it is busy."""
        return self._pages / self._busy

    @property
    def per_second(self) -> float:
        """Newcomers per second."""
        pages = self.pages_per_second
        return min(max(self._let_in / self._busy, pages / MOST_PAGES), pages / FEWEST_PAGES)

    def note(self, elapsed: float, *, busy: bool, pages: int, has_room: bool) -> None:
        """Take what happened in the last seconds: whether pages were in work, and how many were served."""
        self._pause = 0.0 if pages else self._pause + elapsed
        if self._pause < OUTAGE:
            kept = math.exp(-elapsed / MEMORY)
            self._pages = self._pages * kept + pages
            self._busy = max(self._busy * kept + elapsed * busy, 0.01)
            self._let_in *= kept
        rate = self.per_second
        self._tokens = min(self._tokens + rate * elapsed, max(1.0, rate * BURST)) if has_room else 0.0

    def take(self) -> bool:
        """Take a token, if one is left."""
        if self._tokens < 1:
            return False
        self._tokens -= 1
        self._let_in += 1
        return True
