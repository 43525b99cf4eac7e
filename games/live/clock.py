"""Clock of an attempt: runs from the deal to the end of the game or its time limit, except in pauses."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.db import Error

from games.core.errors import ErrorCode, Refusal
from games.live import protocol
from games.live.loader import Loaded, off_loop
from games.models import Attempt


def now_ms() -> int:
    """Return the server's wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """The clock of an attempt as read from the database."""

    __slots__ = ("_facts", "last_ms")

    def __init__(self, facts: Loaded, last_ms: int) -> None:
        self._facts = facts
        self.last_ms = last_ms
        """Reading at the last token."""

    def elapsed_ms(self) -> int:
        """Return the current reading during play, else the final one. It never goes back."""
        return self._facts.elapsed_ms(self.last_ms, now_ms())

    def ms_until_deal(self) -> int:
        """Return the milliseconds until the cards are dealt."""
        return self._facts.deals_at_ms - now_ms()

    def time_of(self, ms: int) -> datetime:
        """Return the time at which the clock reads `ms`."""
        return self._facts.started_at + timedelta(milliseconds=ms + self._facts.pauses.ms)

    def is_up(self, ms: int) -> bool:
        """Return whether the attempt's time limit is reached at this reading."""
        return self._facts.deadline_ms is not None and ms >= self._facts.deadline_ms

    def check_runs(self) -> None:
        """Check that the clock is running.

        :raises Refusal: paused.
        """
        if self._facts.is_paused:
            raise Refusal(ErrorCode.PAUSED, "this game is paused")


def pause_change_time(facts: Loaded) -> datetime:
    """Return the time of a pause or resume requested now.

    :raises Refusal: no_pause.
    """
    at = datetime.fromtimestamp(now_ms() / 1000, UTC)
    if not facts.may_pause:
        raise Refusal(ErrorCode.NO_PAUSE, "only practice can be paused")
    return at


async def change_pause(attempt_id: int, at: datetime, change: Callable[[int, datetime], Attempt]) -> Attempt:
    """Pause or resume an attempt in the database.

    :raises Refusal: no_pause, not_found or server_busy.
    """
    try:
        return await off_loop(change)(attempt_id, at)
    except Attempt.DoesNotExist:
        raise protocol.not_found() from None
    except Error:
        raise protocol.busy("the database could not be reached") from None
