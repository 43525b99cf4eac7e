"""Start timer of a race: the cards are dealt from memory, at the exact millisecond and never before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, Final

#: Milliseconds before the start by which every attempt is read a last time, and the span that these reads spread over.
LAST_LOOK: Final = 1000
LAST_LOOKS_WITHIN: Final = 2000
#: Time before a start from which it can no longer be cancelled: tables have begun their last reads.
HELD_BACK_UNTIL: Final = timedelta(milliseconds=LAST_LOOK + LAST_LOOKS_WITHIN)


class StartTimer:
    """The start timer of one table: reads the attempt a last time, then deals.

    `left` returns the milliseconds left by the wall clock. It decides, because a timer may fire slightly early.
    """

    __slots__ = ("_deal", "_left", "_look", "_looking", "_timer")

    def __init__(
        self,
        left: Callable[[], int],
        deal: Callable[[], None],
        look: Callable[[], Coroutine[Any, Any, None]],
        turn: int,
    ) -> None:
        self._left = left
        self._deal = deal
        self._look = look
        self._looking: asyncio.Task[None] | None = None
        ahead = LAST_LOOK + turn % LAST_LOOKS_WITHIN
        self._timer = _after(left() - ahead, self._look_once_more)

    def cancel(self) -> None:
        """Cancel the start, so that no cards are dealt."""
        self._timer.cancel()

    def _look_once_more(self) -> None:
        self._deal_if_due()
        self._looking = asyncio.create_task(self._look())

    def _deal_if_due(self) -> None:
        left = self._left()
        if left > 0:
            self._timer = _after(left, self._deal_if_due)
        else:
            self._deal()


def _after(milliseconds: int, call: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(max(0, milliseconds) / 1000, call)
