"""How a process that stops lets its players go: one after the other, each when what it has sent is answered.

A connection is closed with 1012 between two messages. Whatever was answered is in the journal, and whatever was not has
not been done, so the client goes on with another process as if nothing had been. Those whose turn has not come yet play
on meanwhile: everybody at once would be a rush on the processes that stay.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from games.events import notifier
from games.live.eviction import OpenSockets, open_sockets
from games.live.tables import close_shared_tables

log = logging.getLogger(__name__)

#: Connections that are closed in a second, unless that would take longer than SECONDS for all of them.
PACE: Final = 200
SECONDS: Final = 4.0
#: Seconds for the last messages to be answered: as long as the journal tries to commit.
PATIENCE: Final = 5.0
#: Seconds for the last notices to be sent.
NOTICES_WITHIN: Final = 2.0
_LOOK_EVERY: Final = 0.02  # seconds


async def drain(is_hurried: Callable[[], bool]) -> None:
    """Close every socket of the process and wait until they are closed; at once when it `is_hurried`.

    The process must take no new connections; those that were just being made are closed as well.
    """
    sockets = open_sockets()
    sockets.are_leaving = True
    log.info("connections are handed over", extra={"connections": len(sockets)})
    await _send_away(sockets, is_hurried)
    latest = asyncio.get_running_loop().time() + PATIENCE
    while len(sockets) and not is_hurried() and asyncio.get_running_loop().time() < latest:
        for socket in sockets:
            socket.go_away()
        await asyncio.sleep(_LOOK_EVERY)


async def finish() -> None:
    """After the last connection: commit what waits, and send the notices that wait."""
    await close_shared_tables()
    await asyncio.to_thread(notifier.flush, NOTICES_WITHIN)


async def _send_away(sockets: OpenSockets, is_hurried: Callable[[], bool]) -> None:
    loop = asyncio.get_running_loop()
    begun, leaving = loop.time(), list(sockets)
    pace = max(PACE, len(leaving) / SECONDS)
    for place, socket in enumerate(leaving):
        if not is_hurried():
            await asyncio.sleep(max(0.0, begun + place / pace - loop.time()))
        socket.go_away()
