"""Capacity of the table processes: each one publishes its state in the shared cache, and every web process reads it.

Every second, each table process writes that it is running, whether it takes connections (it is not stopping, and
`MAX_SOCKETS` is not reached) and whether it has room (it is not overloaded either). The entries expire after three
seconds. Web processes admit no newcomers while table processes are running and none has room. If the cache is empty or
unavailable, they assume that there is room. They are not ready while no table process takes connections.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from django.core.cache import cache

log = logging.getLogger(__name__)

#: Seconds between two writes or reads, and the expiry of an entry.
EVERY: Final = 1.0
EXPIRY: Final = 3

RUNNING: Final = "tables.running"
OPEN: Final = "tables.open"
ROOM: Final = "tables.room"


class TableCapacity:
    """A web process's view of the table processes."""

    is_full = False

    async def watch(self) -> None:
        """Read the state periodically, for ever."""
        await _repeat(lambda: asyncio.to_thread(self.read))

    def read(self) -> None:
        """Read the state once."""
        entries = cache.get_many([RUNNING, ROOM])
        self.is_full = RUNNING in entries and ROOM not in entries


def readiness() -> str:
    """Return "ok" if a table process takes connections, or what is wrong."""
    entries = cache.get_many([RUNNING, OPEN])
    if RUNNING not in entries:
        return "unreachable"
    return "ok" if OPEN in entries else "no room"


async def publish(is_open: Callable[[], bool], is_overloaded: Callable[[], bool]) -> None:
    """Publish the state of a table process periodically, for ever."""

    async def write() -> None:
        # A single write for all entries, so `RUNNING` never outlives the others.
        states = [RUNNING, OPEN, ROOM] if not is_overloaded() else [RUNNING, OPEN]
        entries = dict.fromkeys(states if is_open() else [RUNNING], 1)
        await asyncio.to_thread(lambda: cache.set_many(entries, timeout=EXPIRY))

    await _repeat(write)


async def _repeat(action: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await action()
        except Exception:
            log.warning("table capacity neither written nor read", exc_info=True)
        await asyncio.sleep(EVERY)
