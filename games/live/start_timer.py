"""Start timer of a race: the cards are dealt from memory, at the exact millisecond and never before."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, Final

#: Milliseconds before the start by which every attempt is read a last time, and the span that these reads spread over.
LAST_READ: Final = 1000
LAST_READS_WITHIN: Final = 2000
#: Time before a start from which it can no longer be cancelled: tables have begun their last reads.
CANCEL_CUTOFF: Final = timedelta(milliseconds=LAST_READ + LAST_READS_WITHIN)


class StartTimer:
    """The start timer of a table whose cards are still secret: calls `prepare` shortly before the start, then `deal`.

    The wall clock decides, because a timer may fire slightly early.
    """

    __slots__ = ("_deal", "_ms_left", "_prepare", "_preparing", "_timer")

    def __init__(
        self,
        key: uuid.UUID,
        ms_left: Callable[[], int],
        prepare: Callable[[], Coroutine[Any, Any, None]],
        deal: Callable[[], None],
    ) -> None:
        self._ms_left, self._prepare, self._deal = ms_left, prepare, deal
        self._preparing: asyncio.Task[None] | None = None
        self._timer = _after(ms_left() - LAST_READ - key.int % LAST_READS_WITHIN, self._prepare_deal)

    @property
    def is_cancelled(self) -> bool:
        """True after `cancel`."""
        return self._timer.cancelled()

    def cancel(self) -> None:
        """Cancel the start, so that no cards are dealt."""
        self._timer.cancel()

    def _prepare_deal(self) -> None:
        self._deal_if_due()
        self._preparing = asyncio.create_task(self._prepare())

    def _deal_if_due(self) -> None:
        ms_left = self._ms_left()
        if ms_left > 0:
            self._timer = _after(ms_left, self._deal_if_due)
        else:
            self._deal()


def _after(milliseconds: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(max(0, milliseconds) / 1000, callback)
