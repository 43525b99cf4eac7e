"""Start timer of a race: the cards are dealt from memory, at the exact millisecond and never before."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import msgspec

from games.core.errors import Refusal
from games.live import protocol
from games.live.frames import PLAYING
from games.live.loader import Loaded

log = logging.getLogger(__name__)

#: Milliseconds before the start by which every attempt is read a last time, and the span that these reads spread over.
LAST_READ: Final = 1000
LAST_READS_WITHIN: Final = 2000
#: Time before a start from which it can no longer be cancelled: tables have begun their last reads.
CANCEL_CUTOFF: Final = timedelta(milliseconds=LAST_READ + LAST_READS_WITHIN)


class StartTimer:
    """The start timer of a game whose cards are still secret: reads the attempt a last time, then deals.

    The wall clock decides, because a timer may fire slightly early. `game` is a `LiveGame`, whose module imports this
    one.
    """

    __slots__ = ("_first_view", "_game", "_reloading", "_timer")

    def __init__(self, game: Any) -> None:  # noqa: ANN401
        self._game = game
        self._first_view: tuple[Loaded, protocol.View] | None = None
        """First view and its facts, built ahead of the start because many tables deal in the same millisecond."""
        self._reloading: asyncio.Task[None] | None = None
        ahead = LAST_READ + game.copy.public_id.int % LAST_READS_WITHIN
        self._timer = _after(game.copy.clock.ms_until_deal() - ahead, self._reload_before_deal)

    def cancel(self) -> None:
        """Cancel the start, so that no cards are dealt."""
        self._timer.cancel()

    def withdraw(self, error: Refusal) -> None:
        """Cancel the start of an attempt that was deleted, and tell all connections; its cards stay secret."""
        self.cancel()
        self._game.feed.send_frame(protocol.write(protocol.Error(code=error.code, message=error.message, n=0)))

    def deal(self) -> None:
        """Deal, unless the start was cancelled: send the first view to all connections."""
        game = self._game
        if game.start is None or self._timer.cancelled():
            return
        self.cancel()
        game.start = None
        if game.feed.connections and game.state == PLAYING:
            facts, view = self._first_view or (None, None)
            if view is None or facts is not game.facts:
                view = game.copy.view()
            game.feed.send_change(protocol.write(msgspec.structs.replace(view, ms=game.copy.clock.elapsed_ms())))

    async def reload(self) -> None:
        """Reload the attempt before its start, so that a deleted or postponed one is not dealt; ignore failures."""
        async with self._game.lock:
            try:
                await self._game.reload()
            except Refusal:
                log.info("table not reloaded, trying again later")
            if self._game.start is not None:
                self._first_view = self._game.facts, self._game.copy.view()

    def _reload_before_deal(self) -> None:
        self._deal_if_due()
        self._reloading = asyncio.create_task(self.reload())

    def _deal_if_due(self) -> None:
        ms_left = self._game.copy.clock.ms_until_deal()
        if ms_left > 0:
            self._timer = _after(ms_left, self._deal_if_due)
        else:
            self.deal()


def _after(milliseconds: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(max(0, milliseconds) / 1000, callback)
