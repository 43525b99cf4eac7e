"""Capacity for tables and rooms, published in the shared cache by every process that serves them.

Every second, such a process writes that it is running and whether it takes connections: it is not stopping, and
`MAX_SOCKETS` is not reached. The entries expire after three seconds. New guests wait while processes are running and
none takes connections. If the cache is empty or unavailable, there is room.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from django.core.cache import cache

from games.rules.version import __version__

log = logging.getLogger(__name__)

#: Seconds between two writes, and the expiry of an entry.
EVERY: Final = 1.0
EXPIRY: Final = 3

RUNNING: Final = "tables.running"
OPEN: Final = "tables.open"
#: Versions of the processes, with the time of each one's last entry.
VERSIONS: Final = "tables.versions"


def tables_are_full() -> bool:
    """Return True if processes serve tables and none of them takes connections."""
    return readiness() == "no room"


def readiness() -> str:
    """Return "ok" if a process takes connections, or what is wrong."""
    entries = cache.get_many([RUNNING, OPEN])
    if RUNNING not in entries:
        return "unreachable"
    return "ok" if OPEN in entries else "no room"


def versions() -> set[str]:
    """Return the versions of the processes that serve tables."""
    return set(_recent_versions())


def _recent_versions() -> dict[str, float]:
    return {name: at for name, at in (cache.get(VERSIONS) or {}).items() if at > time.time() - EXPIRY}


def _write(entries: dict[str, object]) -> None:
    cache.set_many({**entries, VERSIONS: _recent_versions() | {__version__: time.time()}}, EXPIRY)


async def publish(is_open: Callable[[], bool]) -> None:
    """Publish the state of this process periodically, for ever."""
    while True:
        # A single write for all entries, so `RUNNING` never outlives the other.
        entries: dict[str, object] = dict.fromkeys([RUNNING, OPEN] if is_open() else [RUNNING], 1)
        try:
            await asyncio.to_thread(_write, entries)
        except Exception:
            log.warning("table capacity not published", exc_info=True)
        await asyncio.sleep(EVERY)
