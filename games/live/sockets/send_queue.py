"""Send queue of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

#: Frames that may queue for a slow client before it is disconnected; it may reconnect later.
MAX_FRAMES: Final = 256


class Outbox:
    """A bounded FIFO of frames with one sender at a time; a slow client fills only its own queue."""

    __slots__ = ("_buffering", "_busy", "_frames", "_send", "_task")

    def __init__(self, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._send = send
        self._frames: list[str] = []
        self._busy = False
        self._buffering = False
        self._task: asyncio.Task[None] | None = None

    def put(self, frame: str) -> bool:
        """Queue a frame; `flush` sends it, or a background task if no message is being handled.

        Return False if the queue is full, which means that the client does not read.
        """
        if len(self._frames) >= MAX_FRAMES:
            return False
        self._frames.append(frame)
        if not self._buffering and not self._busy and self._task is None:
            self._task = asyncio.create_task(self._background())
        return True

    def hold(self) -> None:
        """Buffer frames until the next `flush`."""
        self._buffering = True

    async def flush(self) -> None:
        """Send all queued frames; return at once if another task is already sending."""
        self._buffering = False
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
            pass  # the client disconnected; the connection's receive loop ends it
        finally:
            self._task = None
