"""What waits to be sent on one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

#: Frames that may wait for a client which does not read; it is then cut off and comes back when it can.
MAX_FRAMES: Final = 256


class Outbox:
    """Frames in order, sent by whoever is at it; a slow reader fills its own box and nobody else's."""

    __slots__ = ("_busy", "_frames", "_held", "_send", "_task")

    def __init__(self, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._send = send
        self._frames: list[str] = []
        self._busy = False
        self._held = False
        self._task: asyncio.Task[None] | None = None

    def put(self, frame: str) -> bool:
        """Add a frame; it goes out at the next `flush`, or by itself when no message is being worked on.

        Returns whether there was room for it: without, the client does not read.
        """
        if len(self._frames) >= MAX_FRAMES:
            return False
        self._frames.append(frame)
        if not self._held and not self._busy and self._task is None:
            self._task = asyncio.create_task(self._background())
        return True

    def hold(self) -> None:
        """Leave the sending to a `flush` that will follow."""
        self._held = True

    async def flush(self) -> None:
        """Send all that waits; returns at once if somebody else is sending."""
        self._held = False
        if self._busy:
            return
        self._busy = True
        try:
            while self._frames:
                await self._send({"type": "websocket.send", "text": self._frames.pop(0)})
        finally:
            self._busy = False

    async def _background(self) -> None:
        try:
            await self.flush()
        except OSError:
            pass  # the client is gone; the connection's own loop ends it
        finally:
            self._task = None
