"""Live game: the in-memory state of an attempt. `LiveTable` serves a player's commands on it, holding its lock.

A token is validated and played on the table in memory, but no connection hears of it until the journal has committed
it. A game that loses a number to another process, or cannot tell, reloads the attempt from the database.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from datetime import datetime

import msgspec
from django.db import Error

from games.attempts.lifecycle import How, NotWonError, close_attempt, record_of
from games.core import events
from games.core.errors import ErrorCode, Refusal
from games.live import frames, protocol
from games.live.catch_up import News, TableCopy
from games.live.feed import Feed
from games.live.frames import PLAYING
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import JournalEntry
from games.live.loader import Loaded, PauseState, off_loop
from games.live.start_timer import StartTimer
from games.live.subscribers import Follower
from games.models import Attempt
from games.rules import Record

log = logging.getLogger(__name__)


class LiveGame:
    """An attempt in the memory of this process."""

    __slots__ = (
        "_first_view",
        "_journal",
        "_process",
        "_start",
        "copy",
        "feed",
        "followers",
        "is_dealt",
        "lock",
        "other_processes",
        "public_id",
    )

    def __init__(self, public_id: uuid.UUID, loaded: Loaded, *, journal: Journal, process: str) -> None:
        self.public_id = public_id
        self._journal = journal
        self._process = process
        self.feed = Feed(len(loaded.tokens))
        self.copy = TableCopy(loaded)
        self.other_processes: set[str] = set()
        """Other processes known to have this attempt open."""
        self.followers: tuple[Follower, ...] = ()
        self.is_dealt = False
        """True once the cards may be shown; until then no view is sent."""
        self._start: StartTimer | None = None
        self._first_view: protocol.View | None = None
        """First view, built ahead of the start because many tables deal in the same millisecond."""
        self.lock = asyncio.Lock()

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

    # Telling.

    def send_all(self, frame: str) -> None:
        """Send a frame to all connections here, and notify the followers of a change."""
        self.feed.send_frame(frame)
        self.notify_followers()

    def notify_followers(self) -> None:
        """Notify the followers of a change."""
        for follower in self.followers:
            follower.changed(self)

    def publish(self, frame: str) -> None:
        """Send the `moved` frame of the next committed token to all connections."""
        self.feed.publish(frame)
        self.notify_followers()

    def announce(self, kind: str = "moved", **data: object) -> None:
        """Tell the other processes that have the attempt open the number of the last token."""
        if self.other_processes:
            events.notify_attempt(self.public_id, kind, n=self.n, process=self._process, **data)

    def view(self, ms: int) -> protocol.View:
        """Return the `view` message."""
        return frames.view(self.copy.table, self.public_id, ms, self.facts)

    # Dealing. The cards of a race stay secret until it starts.

    def check_dealt(self) -> None:
        """Check that the cards have been dealt.

        :raises Refusal: not_begun.
        """
        if not self.is_dealt and self.is_waiting():
            raise Refusal(ErrorCode.NOT_BEGUN, "the cards are not dealt yet", starts_in=self.copy.clock.ms_until_deal())

    def is_waiting(self) -> bool:
        """Return whether the cards are still secret; if so, make sure that a timer will deal them."""
        if self.is_dealt:
            return False
        if self._ms_until_deal() <= 0:
            self._deal()
            return False
        if self._start is None:
            self._start = StartTimer(self._ms_until_deal, self._deal, self.reload_before_start, self.public_id.int)
        return True

    async def reload_before_start(self) -> None:
        """Reload the attempt before its start, so that a deleted or postponed one is not dealt; ignore failures."""
        async with self.lock:
            try:
                await self.reload()
            except Refusal:
                log.info("table not reloaded, trying again later")
            if not self.is_dealt:
                self._first_view = self.view(0)

    def cancel_start(self) -> None:
        """Cancel the start timer, as no connection here waits for it any more."""
        if self._start is not None:
            self._start.cancel()

    def _ms_until_deal(self) -> int:
        return self.copy.clock.ms_until_deal()

    def _deal(self) -> None:
        """Deal: send the first view to all connections."""
        if self.is_dealt:
            return
        self.is_dealt = True
        self.cancel_start()
        if self.feed.connections and self.state == PLAYING:
            first = self._first_view or self.view(0)
            self.send_all(protocol.write(msgspec.structs.replace(first, ms=self.copy.clock.elapsed_ms())))
        self._first_view = None

    # Playing. The methods below are called with the lock held.

    async def admit(self, n: int) -> int:
        """Check that token `n` may be played now, and return the clock's reading for it."""
        self.check_dealt()
        # Another process may have resumed the game unnoticed.
        if self.copy.is_doubtful or n > self.n + 1 or self.facts.is_paused:
            await self.reload()
            if self.state == PLAYING and self.copy.table.is_won:
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

    # Ending.

    async def close_if_due(self, ms: int) -> bool:
        """Close the attempt if its time is up, and return whether it was."""
        if self.state != PLAYING or not self.copy.clock.is_up(ms):
            return False
        await self.finish("closed", self.facts.deadline_ms)
        return True

    async def finish_if_won(self) -> None:
        """Close a game that is won. If that fails, the moves stand and `LiveTable.catch_up` retries."""
        if self.copy.is_doubtful or self.state != PLAYING or not self.copy.table.is_won:
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
        self.send_all(frames.ended(self.n, facts))

    # Catching up.

    async def reload(self, verdict: protocol.Verdict | None = None) -> None:
        """Reload the attempt from the database and send all connections the news, a verdict last."""
        self._first_view = None
        try:
            news = await self.copy.reload(self.public_id, self.n)
        except Refusal as error:
            if error.code is ErrorCode.NOT_FOUND:
                self._withdraw(error)
            raise
        for frame in news.moved:
            self.publish(frame)
        if news.moved and not news.is_announced:
            self.announce()
        self._send_reloaded_state(news)
        if self.state != PLAYING and verdict is not None:
            self.set_verdict(verdict)  # this one knows the rank
        elif news.was.verdict is None and self.facts.verdict is not None:
            self.set_verdict(self.facts.verdict)

    def set_verdict(self, verdict: protocol.Verdict) -> None:
        """Note the verdict and send it to all connections."""
        self.facts.verdict = verdict
        self.facts.state = verdict.state
        self.feed.send_frame(protocol.write(verdict))

    def _send_reloaded_state(self, news: News) -> None:
        """Tell all connections of a pause, a resume or an end that a reload has revealed."""
        if news.was.state != PLAYING:
            return
        if self.state != PLAYING:
            self.send_all(frames.ended(self.n, self.facts))
        elif news.was.pauses != self.facts.pauses:
            self._send_clock()

    def set_pauses(self, attempt: Attempt) -> None:
        """Note that the clock was stopped or restarted here, and tell all connections and the other processes."""
        self.facts.pauses = PauseState.of(attempt)
        self._send_clock()
        self.announce("clock", pauses=[*self.facts.pauses])

    def _send_clock(self) -> None:
        self.send_all(frames.clock(self.copy.clock.elapsed_ms(), self.facts))

    def _withdraw(self, error: Refusal) -> None:
        """Cancel the start of an attempt that was deleted, as by an aborted countdown; its cards stay secret."""
        self.cancel_start()
        if not self.is_dealt:
            self.feed.send_frame(protocol.write(protocol.Error(code=error.code, message=error.message, n=0)))


def _closed(attempt_id: int, how: How, at: datetime | None) -> tuple[Attempt, Record]:
    """Close an attempt; return it with its record."""
    attempt = close_attempt(attempt_id, how, at=at)
    return attempt, record_of(attempt)
