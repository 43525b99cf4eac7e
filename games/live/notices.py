"""Notices between processes that have the same attempt open: one channel a process, one group an attempt.

They are a convenience. When the channel layer is away, play goes on: the database settles every number, and who has
missed a notice finds out at the next message.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from typing import Any, Final

from channels.layers import get_channel_layer

from games.events import attempt_group

log = logging.getLogger(__name__)

_PATIENCE: Final = 3.0  # seconds for the channel layer to answer
_PAUSE: Final = 1.0  # seconds between two tries to listen

Notice = dict[str, Any]


class Notices:
    """What this process hears of the attempts it has open."""

    def __init__(self, heard: Callable[[Notice], None]) -> None:
        self._heard = heard
        self._layer: Any = get_channel_layer()
        self._channel: str | None = None
        self._listener: asyncio.Task[None] | None = None

    async def watch(self, public_id: uuid.UUID) -> None:
        """Hear of an attempt from now on."""
        await self._safely(self._join(attempt_group(public_id)))

    async def unwatch(self, public_id: uuid.UUID) -> None:
        """Hear of it no more."""
        if self._channel is not None:
            await self._safely(self._layer.group_discard(attempt_group(public_id), self._channel))

    async def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait([self._listener])

    async def _join(self, group: str) -> None:
        if self._channel is None:
            channel = await self._layer.new_channel("play.")
            if self._channel is None:
                self._channel = channel
                self._listener = asyncio.create_task(self._listen(channel))
        await self._layer.group_add(group, self._channel)

    async def _listen(self, channel: str) -> None:
        while True:
            try:
                self._heard(await self._layer.receive(channel))
            except Exception:
                log.warning("notices not heard", exc_info=True)
                await asyncio.sleep(_PAUSE)

    async def _safely(self, doing: Any) -> None:  # noqa: ANN401
        try:
            await asyncio.wait_for(doing, timeout=_PATIENCE)
        except Exception:
            log.warning("the channel layer does not answer", exc_info=True)
