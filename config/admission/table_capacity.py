"""Whether the processes that serve only tables have room: each publishes it, every web process reads it.

Each process of tables writes to the shared cache every second that it runs and, if so, that it has room. The entries
expire after three seconds. Web processes take no newcomers while processes of tables run and none has room. If the
cache is empty or away, they assume that there is room.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from django.core.cache import cache

log = logging.getLogger(__name__)

#: Seconds between two writes or reads, and until an entry expires.
EVERY: Final = 1.0
EXPIRY: Final = 3

RUNNING: Final = "tables.running"
ROOM: Final = "tables.room"


class TableCapacity:
    """What a web process knows of the tables."""

    is_full = False

    async def watch(self) -> None:
        """Read the state again and again."""
        await _repeat(lambda: asyncio.to_thread(self.read))

    def read(self) -> None:
        """Read the state."""
        entries = cache.get_many([RUNNING, ROOM])
        self.is_full = RUNNING in entries and ROOM not in entries


async def publish(has_room: Callable[[], bool]) -> None:
    """Write the state of a process of tables again and again."""

    async def write() -> None:
        # One write for both: the news that a process runs never outlives the news that it has room.
        entries = dict.fromkeys([RUNNING, ROOM] if has_room() else [RUNNING], 1)
        await asyncio.to_thread(lambda: cache.set_many(entries, timeout=EXPIRY))

    await _repeat(write)


async def _repeat(action: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await action()
        except Exception:
            log.warning("table capacity neither written nor read", exc_info=True)
        await asyncio.sleep(EVERY)
