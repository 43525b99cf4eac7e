"""Clock of an attempt: runs from the deal to the end of the game or its time limit, except in pauses."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from games.core.errors import ErrorCode, Refusal
from games.live.loader import Loaded
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
        facts = self._facts
        if facts.state != Attempt.State.PLAYING:
            return facts.end_ms
        since = facts.pauses.since_ms
        return max(self.last_ms, (now_ms() if since is None else since) - facts.started_ms - facts.pauses.ms)

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
