"""Overload detection: CoDel's rule, applied to the delay of a probe.

The probe is an empty call that takes the same path as a page, from the event loop to a page thread and back. Its delay
includes the wait for a thread, event-loop lag, and competition for the CPU from other threads and processes. A burst
makes some probes late; a standing queue makes all of them late. A process becomes overloaded when every probe of an
`INTERVAL` is later than `TARGET`, and recovers with the first probe on time.

Source: K. Nichols, V. Jacobson, "Controlling Queue Delay", ACM Queue 10 (5), 2012; RFC 8289.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from django.conf import settings

from config.http.handler import SyncHandler
from games.core import metrics

#: Acceptable delay of a probe, in s.
TARGET: Final = 0.05
#: Seconds for which the delay must stay above the target.
INTERVAL: Final = 0.5
#: Seconds between two checks of the probe.
BEAT: Final = 0.05

Job = Callable[[], Coroutine[Any, Any, None]]


class Load:
    """The load of one process. Runs `jobs` in the background and calls `on_beat` after every check of the probe."""

    def __init__(self, pages: SyncHandler, sockets: Callable[[], int]) -> None:
        self.pages = pages
        self.jobs: list[Job] = [self._probe]
        self.on_beat: Callable[[], None] = lambda: None
        self._sockets = sockets
        self._late_since: float | None = None
        self._now = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def has_free_socket(self) -> bool:
        """True if the process may open more WebSockets."""
        return not 0 < settings.MAX_SOCKETS <= self._sockets()

    @property
    def is_overloaded(self) -> bool:
        """True if the delay has been above the target for an interval."""
        return settings.ADMISSION and self._late_since is not None and self._now - self._late_since >= INTERVAL

    @property
    def is_full(self) -> bool:
        """True if the process should admit no newcomers now."""
        return self.is_overloaded or not self.has_free_socket

    def note(self, delay: float, now: float) -> None:
        """Record a probe's delay; while the probe is still out, the time since it was sent."""
        self._now = now
        if delay < TARGET:
            self._late_since = None
        elif self._late_since is None:
            self._late_since = now
        metrics.PAGE_DELAY.set(delay)
        metrics.FULL.set(self.is_full)

    def start(self) -> None:
        """Start the background jobs in the running event loop, once per loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._tasks = [loop.create_task(job()) for job in self.jobs]

    async def _probe(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            sent, probe = loop.time(), loop.create_task(self.pages.threads.run(int))
            while not probe.done():
                await asyncio.wait({probe}, timeout=BEAT)
                self.note(loop.time() - sent, loop.time())
                self.on_beat()
            probe.exception()  # a full pool refuses the probe
            await asyncio.sleep(BEAT)
