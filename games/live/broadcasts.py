"""Notices between processes through the channel layer: one channel per process, one group per attempt or set of rooms.

They are an optimisation. Play goes on while the channel layer is down: the database decides every number, and a process
that missed a notice finds out at the next message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

_PATIENCE: Final = 3.0  # timeout of the channel layer in seconds
_PAUSE: Final = 1.0  # seconds between attempts to listen

Notice = dict[str, Any]


class GroupSubscription:
    """A process's subscription to notices about the tables or rooms it has open."""

    def __init__(self, on_notice: Callable[[Notice], None], prefix: str = "play.") -> None:
        self._on_notice = on_notice
        self._prefix = prefix
        self._layer: Any = get_channel_layer()
        self._channel: str | None = None
        self._listener: asyncio.Task[None] | None = None

    async def watch(self, group: str) -> None:
        """Subscribe to a group."""
        await self._safely(self._join(group))

    async def unwatch(self, group: str) -> None:
        """Unsubscribe from a group."""
        if self._channel is not None:
            await self._safely(self._layer.group_discard(group, self._channel))

    async def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait([self._listener])

    async def _join(self, group: str) -> None:
        if self._channel is None:
            channel = await self._layer.new_channel(self._prefix)
            if self._channel is None:
                self._channel = channel
                self._listener = asyncio.create_task(self._listen(channel))
        await self._layer.group_add(group, self._channel)

    async def _listen(self, channel: str) -> None:
        while True:
            try:
                self._on_notice(await self._layer.receive(channel))
            except Exception:
                log.warning("notices not received", exc_info=True)
                await asyncio.sleep(_PAUSE)

    async def _safely(self, operation: Any) -> None:  # noqa: ANN401
        try:
            async with asyncio.timeout(_PATIENCE):
                await operation
        except Exception:
            log.warning("the channel layer does not answer", exc_info=True, extra={"server": "Redis"})
