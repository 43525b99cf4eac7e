"""Live game: the in-memory state of an attempt. `LiveTable` serves a player's commands on it, holding its lock.

A token is validated and played on the table in memory, but no connection hears of it until the journal has committed
it. A game that loses a number to another process, or cannot tell, reloads the attempt from the database.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from datetime import datetime

from django.db import Error

from games.attempts.lifecycle import How, NotWonError, close_attempt, record_of
from games.core.errors import ErrorCode, Refusal
from games.live import frames, protocol
from games.live.feed import Feed
from games.live.frames import PLAYING
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import JournalEntry
from games.live.loader import Loaded, off_loop
from games.live.start_timer import StartTimer
from games.live.table_copy import TableCopy
from games.models import Attempt
from games.rules import Record

log = logging.getLogger(__name__)


class LiveGame:
    """An attempt in the memory of this process."""

    __slots__ = ("_journal", "copy", "feed", "lock", "start")

    def __init__(self, public_id: uuid.UUID, loaded: Loaded, *, journal: Journal, process: str) -> None:
        self._journal = journal
        self.feed = Feed(public_id, process, len(loaded.tokens))
        self.copy = TableCopy(public_id, loaded, self.feed)
        self.lock = asyncio.Lock()
        self.start = StartTimer(self) if self.copy.clock.ms_until_deal() > 0 else None
        """Timer that deals the cards, which are secret before; None once they are dealt."""

    @property
    def facts(self) -> Loaded:
        """The attempt as last read."""
        return self.copy.facts

    @property
    def state(self) -> str:
        """State of the attempt."""
        return self.copy.facts.state

    @property
    def n(self) -> int:
        """Number of the last committed token."""
        return self.feed.n

    def is_waiting(self) -> bool:
        """Return whether the cards are still secret; deal them if it is time."""
        if self.start is not None and self.copy.clock.ms_until_deal() <= 0:
            self.start.deal()
        return self.start is not None

    def check_dealt(self) -> None:
        """Check that the cards have been dealt.

        :raises Refusal: not_begun.
        """
        if self.is_waiting():
            raise Refusal(ErrorCode.NOT_BEGUN, "the cards are not dealt yet", starts_in=self.copy.clock.ms_until_deal())

    # Playing. The methods below are called with the lock held.

    async def admit(self, n: int) -> int:
        """Check that token `n` may be played now, and return the clock's reading for it."""
        self.check_dealt()
        # Another process may have resumed the game unnoticed.
        if self.copy.is_doubtful or n > self.n + 1 or self.facts.is_paused:
            await self.reload()
            if self.state == PLAYING and self.facts.table.is_won:
                await self.finish("won")
        self.check_playing()
        ms = self.copy.clock.elapsed_ms()
        if await self.close_if_due(ms):
            raise Refusal(ErrorCode.CLOSED, "the time for this deal is up", state=self.state)
        self.copy.clock.check_runs()
        if n != self.n + 1:
            raise self._stale()
        return ms

    async def commit(self, n: int, tokens: tuple[str, ...], ms: int, *, auto: bool = False) -> None:
        """Commit the tokens that were pushed; after a failure the copy stays in doubt until it is reloaded."""
        entry = JournalEntry(self.facts.attempt_id, n, tokens, ms, auto=auto, paused_ms=self.facts.pauses.ms)
        try:
            committed = await self._journal.append(entry)
        except JournalBusyError as error:
            raise protocol.busy(str(error)) from None
        if committed:
            self.copy.is_doubtful = False
            self.copy.clock.last_ms = ms
            return
        await self.reload()
        self.check_playing()
        self.copy.clock.check_runs()
        if n == self.n + 1:  # a pause went unnoticed, so the token's time was wrong
            raise protocol.busy("the clock had been stopped")
        raise self._stale()

    def check_playing(self) -> None:
        """Check that the game is not over.

        :raises Refusal: closed.
        """
        if self.state != PLAYING:
            raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)

    def _stale(self) -> Refusal:
        return Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)

    async def close_if_due(self, ms: int) -> bool:
        """Close the attempt if its time is up, and return whether it was."""
        if self.state != PLAYING or not self.copy.clock.is_up(ms):
            return False
        await self.finish("closed", self.facts.deadline_ms)
        return True

    async def finish_if_won(self) -> None:
        """Close a game that is won. If that fails, the moves stand and `LiveTable.catch_up` retries."""
        if self.copy.is_doubtful or self.state != PLAYING or not self.facts.table.is_won:
            return
        try:
            await self.finish("won")
        except Refusal:
            log.info("win not closed, trying again later")

    async def finish(self, how: How, ms: int | None = None) -> None:
        """Close the attempt and tell all connections here; `close_attempt` tells the other processes."""
        facts = self.facts
        at = None if ms is None else self.copy.clock.time_of(ms)
        self.copy.is_doubtful = True
        try:
            attempt, record = await off_loop(_closed)(facts.attempt_id, how, at)
        except Attempt.DoesNotExist:
            raise protocol.not_found() from None
        except (Error, NotWonError):
            log.exception("attempt not closed")
            raise protocol.busy("the game could not be closed yet") from None
        if len(record.tokens) != self.n:
            # Another process has played tokens not seen here; the reload sends them before the end.
            await self.reload()
            return
        facts.state, facts.how, facts.end_ms = attempt.state, attempt.end, record.end.ms
        self.copy.is_doubtful = False
        self.feed.send_change(frames.ended(self.n, facts))

    async def reload(self, verdict: protocol.Verdict | None = None) -> None:
        """Reload the attempt as `TableCopy.reload` does; a deleted one, as by an aborted countdown, is not dealt."""
        try:
            await self.copy.reload(verdict)
        except Refusal as error:
            if error.code is ErrorCode.NOT_FOUND and self.start is not None:
                self.start.withdraw(error)
            raise


def _closed(attempt_id: int, how: How, at: datetime | None) -> tuple[Attempt, Record]:
    attempt = close_attempt(attempt_id, how, at=at)
    return attempt, record_of(attempt)
