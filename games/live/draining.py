"""Connection draining at shutdown: sockets are closed one by one, each once its messages are answered.

A connection is closed with 1012 between two messages. Every move that was answered is in the journal and every move
that was not had no effect, so the client can carry on with another process. Connections are spread over a few seconds,
and keep playing until their turn, because closing all at once would stampede the remaining processes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from games.core.events import notifier
from games.live.sockets.eviction import open_sockets
from games.live.table_registry import close_shared_tables

log = logging.getLogger(__name__)

#: Connections closed per second; more if closing all of them would take longer than SECONDS.
PACE: Final = 200
SECONDS: Final = 4.0
#: Seconds to wait for the last messages to be answered: as long as the journal keeps trying to commit.
PATIENCE: Final = 5.0
#: Seconds to wait for the last notices to be sent.
NOTICES_WITHIN: Final = 2.0
_POLL_EVERY: Final = 0.02  # seconds


async def drain(is_hurried: Callable[[], bool]) -> None:
    """Close every socket of the process and wait until they are closed; skip the waiting when `is_hurried`.

    The process must no longer accept connections. Connections still being set up are closed as well.
    """
    sockets = open_sockets()
    sockets.is_draining = True
    log.info("handing over connections", extra={"connections": len(sockets)})
    loop, closing = asyncio.get_running_loop(), list(sockets)
    started, pace = loop.time(), max(PACE, len(closing) / SECONDS)
    for index, socket in enumerate(closing):
        if not is_hurried():
            await asyncio.sleep(max(0.0, started + index / pace - loop.time()))
        socket.close_for_restart()
    deadline = loop.time() + PATIENCE
    while len(sockets) and not is_hurried() and loop.time() < deadline:
        for socket in sockets:
            socket.close_for_restart()
        await asyncio.sleep(_POLL_EVERY)


async def finish() -> None:
    """Commit pending moves and send pending notices; call it after the last connection has closed."""
    await close_shared_tables()
    await asyncio.to_thread(notifier.flush, NOTICES_WITHIN)
