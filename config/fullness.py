"""Whether the tables that are elsewhere have room for more players: told by their processes, heard by the web ones.

Each process of tables says in the site's cache every second that it is there, and that it has room if it has. What was
said is forgotten after three seconds. Newcomers wait while processes of tables are there and none of them has room: the
proxy brings each player to the one with the fewest connections. Where nothing is heard, because Redis is away or nobody
has begun, a web process goes by what it knows itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from django.core.cache import cache

from config.pressure import Pressure
from games.thread_pool import ThreadPool

log = logging.getLogger(__name__)

#: Seconds between two messages of a process, and between two looks at them.
EVERY: Final = 1.0
#: Seconds for which a message is believed: one may be late.
BELIEVED: Final = 3

THERE: Final = "tables.there"
ROOM: Final = "tables.room"


class _Regularly:
    """Does something with the cache in a thread, once a second at most, and one thing at a time."""

    def __init__(self, name: str, do: Callable[[], None]) -> None:
        self._threads = ThreadPool(name, 1)
        self._do = do
        self._since = EVERY
        self._doing: asyncio.Task[None] | None = None

    def look(self, elapsed: float) -> None:
        """So many seconds have passed since the last call."""
        self._since += elapsed
        if self._since >= EVERY and self._doing is None:
            self._since = 0.0
            self._doing = asyncio.create_task(self._done())

    async def _done(self) -> None:
        try:
            await self._threads.run(self._do)
        except Exception:
            log.warning("room at the tables neither told nor heard of", exc_info=True)
        finally:
            self._doing = None


class Told(_Regularly):
    """Says of a process of tables that it is there, and whether it has room: none while its players leave it."""

    def __init__(self, pressure: Pressure, are_leaving: Callable[[], bool]) -> None:
        super().__init__("room", self.tell)
        self._pressure = pressure
        self._are_leaving = are_leaving
        self._said = [THERE]

    def look(self, elapsed: float) -> None:
        """So many seconds have passed since the last call."""
        self.note()
        super().look(elapsed)

    def note(self) -> None:
        """Note on the event loop, which knows it, what is to be said."""
        self._said = [THERE] if self._pressure.is_full or self._are_leaving() else [THERE, ROOM]

    def tell(self) -> None:
        """Say how it stands; that somebody is there is forgotten no later than that there is room."""
        cache.set_many(dict.fromkeys(self._said, 1), timeout=BELIEVED)


class Heard(_Regularly):
    """Knows in a web process whether the tables are full."""

    def __init__(self) -> None:
        super().__init__("room", self.hear)
        self.are_full = False
        """Whether there are tables elsewhere and none of their processes has room, as of a second ago."""

    def hear(self) -> None:
        """Look now."""
        said = cache.get_many([THERE, ROOM])
        self.are_full = THERE in said and ROOM not in said
