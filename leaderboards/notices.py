"""Telling channel groups what has changed, from code that has no event loop.

A worker process settles hundreds of attempts a second, and `async_to_sync` would open a loop and new connections to
Redis for each message. So a process has one thread with one loop that sends, and messages of the same kind to the same
group that have not left yet are sent once. Notices are never the only copy of a fact: whoever misses one reads the
database later.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

Message = dict[str, Any]


class Notifier:
    """The sending thread of one process; started at the first notice, as worker processes fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str], Message] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0
        self._idle = threading.Event()
        self._idle.set()

    def send(self, group: str, message: Message) -> None:
        """Send `message` to `group` soon; never fails and never waits."""
        with self._lock:
            self._waiting[group, message["type"]] = message
            self._idle.clear()
            loop = self._running_loop()
        loop.call_soon_threadsafe(self._start_sending)

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything has been sent; says whether it was."""
        return self._idle.wait(timeout)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._pid != os.getpid():
            self._loop = asyncio.new_event_loop()
            self._pid = os.getpid()
            threading.Thread(target=self._loop.run_forever, name="notices", daemon=True).start()
        return self._loop

    def _start_sending(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, {}
        if batch:
            # The loop keeps no strong reference to a task; the attribute does.
            self._task = asyncio.ensure_future(self._send_all(batch))

    async def _send_all(self, batch: dict[tuple[str, str], Message]) -> None:
        layer = get_channel_layer()
        assert layer is not None
        for (group, _type), message in batch.items():
            try:
                await asyncio.wait_for(layer.group_send(group, message), timeout=5)
            except Exception:  # whatever the layer's transport raises, a notice may be lost
                log.warning("a notice to %s was lost", group, exc_info=True)
        with self._lock:
            if not self._waiting:
                self._idle.set()


notifier = Notifier()
