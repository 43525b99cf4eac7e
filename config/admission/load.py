"""Overload detection: CoDel's rule, applied to the delay of a probe.

The probe is an empty call that goes the way of a page, from the event loop to a page thread and back. Its delay covers
the wait for a thread, the event loop's lag, and threads and processes that compete for the CPU. A burst makes some
probes late; a standing queue makes all of them late. A process is overloaded once every probe of an `INTERVAL` was
later than `TARGET`, until one is on time.

Source: K. Nichols, V. Jacobson, "Controlling Queue Delay", ACM Queue 10 (5), 2012; RFC 8289.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from django.conf import settings

from config.handler import OneHop
from games import metrics

#: Acceptable delay of a probe, in s.
TARGET: Final = 0.05
#: Seconds for which the delay must stay above the target.
INTERVAL: Final = 0.5
#: Seconds between two looks at the probe.
BEAT: Final = 0.05

Job = Callable[[], Coroutine[Any, Any, None]]


class Load:
    """The load of one process. It runs `jobs` in the background and calls `on_beat` after every look at the probe."""

    def __init__(self, pages: OneHop, sockets: Callable[[], int]) -> None:
        self.pages = pages
        self.jobs: list[Job] = [self._probe]
        self.on_beat: Callable[[], None] = lambda: None
        self._sockets = sockets
        self._late_since: float | None = None
        self._now = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def has_free_socket(self) -> bool:
        """Whether the process may open more WebSockets."""
        return not 0 < settings.MAX_SOCKETS <= self._sockets()

    @property
    def is_overloaded(self) -> bool:
        """Whether the delay has been above the target for an interval."""
        return settings.ADMISSION and self._late_since is not None and self._now - self._late_since >= INTERVAL

    @property
    def is_full(self) -> bool:
        """Whether the process should take no newcomers now."""
        return self.is_overloaded or not self.has_free_socket

    def note(self, delay: float, now: float) -> None:
        """Take a probe's delay, so far if it is not back yet."""
        self._now = now
        if delay < TARGET:
            self._late_since = None
        elif self._late_since is None:
            self._late_since = now
        metrics.PAGE_DELAY.set(delay)
        metrics.FULL.set(self.is_full)

    def start(self) -> None:
        """Probe from now on in the running event loop, if that has not begun."""
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
            probe.exception()  # a pool that is full refuses the probe
            await asyncio.sleep(BEAT)
