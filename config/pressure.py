"""Whether a process has as much to do as it can: by how late its event loop is, and by how much is in work."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Seconds over which lateness and requests are averaged: one pause of the garbage collector or the machine, and some
#: requests that happen to come together, are no rush.
SPAN: Final = 1.0
#: So many times the requests at one moment are a rush before they have lasted.
FLOOD: Final = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a process is full; 0 for never. See `FULL_LAG`, `FULL_REQUESTS`, `FULL_SOCKETS`."""

    lag: float  # seconds
    requests: int
    sockets: int


class Pressure:
    """What a process has to do, held against its limits."""

    def __init__(self, limits: Limits, requests: Callable[[], int], sockets: Callable[[], int]) -> None:
        self.limits = limits
        self.lag = 0.0
        """Seconds by which the event loop is late, on average."""
        self.in_work = 0.0
        """Requests in work, on average."""
        self._requests = requests
        self._sockets = sockets

    @property
    def is_full(self) -> bool:
        """Whether any limit is reached."""
        limits = self.limits
        return (
            0 < limits.requests <= max(self.in_work, self._requests() / FLOOD)
            or 0 < limits.sockets <= self._sockets()
            or 0 < limits.lag <= self.lag
        )

    def note(self, late: float, elapsed: float) -> None:
        """The event loop came back so late, so many seconds after the last time."""
        share = -math.expm1(-elapsed / SPAN)
        self.lag += (late - self.lag) * share
        self.in_work += (self._requests() - self.in_work) * share
