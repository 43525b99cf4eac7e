"""Whether a process has as much to do as it can: by how late its event loop is, and by how much is in work."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from games import metrics

#: Seconds over which lateness and requests are averaged: one pause of the garbage collector or the machine, and some
#: requests that happen to come together, are no rush.
SPAN: Final = 1.0
#: So many times the requests at one moment are a rush before they have lasted.
FLOOD: Final = 4
#: Seconds from one look at the event loop to the next.
BEAT: Final = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a process is full; 0 for never. See `FULL_LAG`, `FULL_REQUESTS`, `FULL_SOCKETS`."""

    lag: float  # seconds
    requests: int
    sockets: int


class Elsewhere(Protocol):
    """What is known of the processes that serve the tables, where this one does not."""

    are_full: bool

    def look(self, elapsed: float) -> None:
        """So many seconds have passed since the last call; it does not wait."""


class Pressure:
    """What a process has to do, held against its limits; and whether those have room that it brings players to."""

    def __init__(
        self,
        limits: Limits,
        requests: Callable[[], int],
        sockets: Callable[[], int],
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.limits = limits
        self.lag = 0.0
        """Seconds by which the event loop is late, on average."""
        self.in_work = 0.0
        """Requests in work, on average."""
        self._requests = requests
        self._sockets = sockets
        self._elsewhere = elsewhere

    @property
    def is_full(self) -> bool:
        """Whether any limit is reached, here or at all the tables elsewhere."""
        limits = self.limits
        return (
            0 < limits.requests <= max(self.in_work, self._requests() / FLOOD)
            or 0 < limits.sockets <= self._sockets()
            or 0 < limits.lag <= self.lag
            or (self._elsewhere is not None and self._elsewhere.are_full)
        )

    def note(self, late: float, elapsed: float) -> None:
        """The event loop came back so late, so many seconds after the last time."""
        share = -math.expm1(-elapsed / SPAN)
        self.lag += (late - self.lag) * share
        self.in_work += (self._requests() - self.in_work) * share
        if self._elsewhere is not None:
            self._elsewhere.look(elapsed)


class Pulse:
    """Tells a pressure ten times a second how late the event loop is, and then whoever else wants to look around."""

    def __init__(self, pressure: Pressure, look: Callable[[float], None]) -> None:
        self._pressure = pressure
        self._look = look
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """From now on, in the running loop; it may have begun before."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._beat_at(loop, loop.time())

    def beat(self, late: float, elapsed: float) -> None:
        """The event loop came back so late, so many seconds after the last time."""
        self._pressure.note(late, elapsed)
        metrics.LOOP_LAG.set(self._pressure.lag)
        metrics.FULL.set(self._pressure.is_full)
        self._look(elapsed)

    def _beat_at(self, loop: asyncio.AbstractEventLoop, last: float) -> None:
        loop.call_at(last + BEAT, self._next, loop, last)

    def _next(self, loop: asyncio.AbstractEventLoop, last: float) -> None:
        now = loop.time()
        self.beat(now - last - BEAT, now - last)
        self._beat_at(loop, now)
