"""In-memory channel layer of the embedded server, made safe for its worker thread."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from typing import Any

from channels.layers import InMemoryChannelLayer


class ThreadedMemoryLayer(InMemoryChannelLayer):
    """In-memory layer that runs every send on the consumers' event loop, whichever thread it comes from.

    The parent class uses queues bound to one loop: a send from another thread's loop may go unnoticed.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **options)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def receive(self, channel: str) -> Any:  # noqa: ANN401
        """Wait for the next message. The loop that listens first runs all channels."""
        self._loop = asyncio.get_running_loop()
        return await super().receive(channel)

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        """Send to one channel."""
        await self._on_loop(super().send(channel, message))

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to every channel of a group."""
        await self._on_loop(super().group_send(group, message))

    async def _on_loop(self, sending: Coroutine[Any, Any, None]) -> None:
        loop = self._loop
        if loop is None or not loop.is_running() or loop is asyncio.get_running_loop():
            await sending
            return
        try:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(sending, loop))
        finally:
            if inspect.getcoroutinestate(sending) == inspect.CORO_CREATED:
                sending.close()  # the loop ended before the send started
