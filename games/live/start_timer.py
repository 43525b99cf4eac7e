"""Start timer of a race: the cards are dealt from memory, at the exact millisecond and never before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, Final

#: Milliseconds before the start by which every attempt is read a last time, and the span that these reads spread over.
LAST_READ: Final = 1000
LAST_READS_WITHIN: Final = 2000
#: Time before a start from which it can no longer be cancelled: tables have begun their last reads.
CANCEL_CUTOFF: Final = timedelta(milliseconds=LAST_READ + LAST_READS_WITHIN)


class StartTimer:
    """The start timer of one table: reads the attempt a last time, then deals.

    `ms_left` returns the milliseconds left by the wall clock. It decides, because a timer may fire slightly early.
    """

    __slots__ = ("_deal", "_ms_left", "_reload", "_reloading", "_timer")

    def __init__(
        self,
        ms_left: Callable[[], int],
        deal: Callable[[], None],
        reload: Callable[[], Coroutine[Any, Any, None]],
        turn: int,
    ) -> None:
        self._ms_left = ms_left
        self._deal = deal
        self._reload = reload
        self._reloading: asyncio.Task[None] | None = None
        ahead = LAST_READ + turn % LAST_READS_WITHIN
        self._timer = _after(ms_left() - ahead, self._reload_before_deal)

    def cancel(self) -> None:
        """Cancel the start, so that no cards are dealt."""
        self._timer.cancel()

    def _reload_before_deal(self) -> None:
        self._deal_if_due()
        self._reloading = asyncio.create_task(self._reload())

    def _deal_if_due(self) -> None:
        ms_left = self._ms_left()
        if ms_left > 0:
            self._timer = _after(ms_left, self._deal_if_due)
        else:
            self._deal()


def _after(milliseconds: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(max(0, milliseconds) / 1000, callback)
