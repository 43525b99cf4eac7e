"""Whether a process has as much to do as it can: by how late its event loop is, and by how much is in work."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Seconds over which lateness is averaged: one pause of the garbage collector or the machine is no rush.
SPAN: Final = 1.0


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
        self._requests = requests
        self._sockets = sockets

    @property
    def is_full(self) -> bool:
        """Whether any limit is reached."""
        limits = self.limits
        return (
            0 < limits.requests <= self._requests()
            or 0 < limits.sockets <= self._sockets()
            or 0 < limits.lag <= self.lag
        )

    def note(self, late: float, elapsed: float) -> None:
        """The event loop came back so late, so many seconds after the last time."""
        self.lag += (late - self.lag) * -math.expm1(-elapsed / SPAN)
