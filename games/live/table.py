"""Live table: the in-memory state of an attempt, shared by all its connections to this process.

A token is validated and played on the table in memory, but no connection hears of it until the journal has committed
it. A table that loses a number to another process, or cannot tell, reloads the attempt from the database.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from sys import intern
from typing import Final

import msgspec
from django.db import Error

from games import events, metrics
from games.attempts import How, NotWonError, close_attempt, record_of
from games.errors import ErrorCode, Refusal
from games.live import frames, protocol
from games.live.autofinish import winning_run
from games.live.frames import PLAYING
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import Entry
from games.live.listeners import Connection, Follower
from games.live.loading import Loaded, Pauses, load, off_loop
from games.live.start import Start
from games.models import Attempt
from games.pausing import pause_attempt, resume_attempt
from games.rules import Record

log = logging.getLogger(__name__)

#: Number of recent `moved` frames kept for connections that come back.
RECENT: Final = 16
PENDING: Final = str(Attempt.State.PENDING)
#: Seconds to wait for a verdict's notice before reading the database.
VERDICT_PATIENCE: Final = 5.0
#: Seconds after the last move for which a player with the table open still counts as playing.
ATTENDED_FOR: Final = 900.0


def now_ms() -> int:
    """Return the server's wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class LiveTable:
    """An attempt in the memory of this process."""

    __slots__ = (
        "_doubtful",
        "_facts",
        "_first_view",
        "_journal",
        "_last_ms",
        "_lock",
        "_process",
        "_read_at",
        "_recent",
        "_start",
        "_table",
        "connections",
        "elsewhere",
        "followers",
        "is_dealt",
        "n",
        "public_id",
    )

    def __init__(self, public_id: uuid.UUID, loaded: Loaded, *, journal: Journal, process: str) -> None:
        self.public_id = public_id
        self._journal = journal
        self._process = process
        self.connections: set[Connection] = set()
        self.elsewhere: set[str] = set()
        """Other processes known to have this attempt open."""
        self.followers: tuple[Follower, ...] = ()
        self.is_dealt = False
        """True once the cards may be shown; until then no view is sent."""
        self._start: Start | None = None
        self._first_view: protocol.View | None = None
        """First view, built ahead of the start because many tables deal in the same millisecond."""
        self.n = len(loaded.tokens)
        """Number of the last committed token; every connection here has been sent it."""
        self._lock = asyncio.Lock()
        self._recent: deque[tuple[int, str]] | None = None
        self._facts = loaded
        self._table = loaded.table
        for token in loaded.tokens:
            self._table.push(token)
        self._last_ms = loaded.clock[-1] if loaded.clock else 0
        loaded.tokens = loaded.clock = ()
        self._doubtful = False
        """True if the table may differ from the database; it must then be reloaded before any decision."""
        self._read_at = time.monotonic()

    @property
    def player_id(self) -> int:
        """Id of the attempt's player."""
        return self._facts.player_id

    @property
    def state(self) -> str:
        """State of the attempt."""
        return self._facts.state

    @property
    def deal(self) -> protocol.DealInfo:
        """Public facts of the deal."""
        return self._facts.deal

    @property
    def attempt_id(self) -> int:
        """Primary key of the attempt."""
        return self._facts.attempt_id

    @property
    def for_race(self) -> bool:
        """True for an attempt at a race's deal."""
        return self._facts.for_race

    @property
    def cards_up(self) -> int:
        """Number of cards on the foundations."""
        return self._table.cards_up

    @property
    def pauses(self) -> Pauses:
        """The attempt's pauses, which other processes compare with theirs."""
        return self._facts.pauses

    @property
    def end(self) -> tuple[str, int] | None:
        """The kind of end and the clock's reading at it, in ms; None during play."""
        return None if self._facts.state == PLAYING else (self._facts.how, self._facts.end_ms)

    def is_attended(self) -> bool:
        """Return whether a player is active here: the game is running, and was loaded or moved in recently."""
        if self.state != PLAYING or self._facts.is_paused or not self.connections:
            return False
        unmoved = (self.elapsed_ms() - self._last_ms) / 1000
        return min(unmoved, time.monotonic() - self._read_at) < ATTENDED_FOR

    def elapsed_ms(self) -> int:
        """Return the attempt's clock: the current reading during play, else the final one. It never goes back."""
        return self._facts.elapsed_ms(self._last_ms, now_ms())

    async def greet(self, connection: Connection, have: int | None, *, fresh: bool) -> None:
        """Send a connection all it missed after token `have`; reload the attempt first unless the table is `fresh`."""
        async with self._lock:
            if self._doubtful or not fresh:
                await self._read_again()
            if self._is_waiting():
                connection.tell(protocol.write(frames.waiting(self.public_id, now_ms(), self._facts)))
                self.connections.add(connection)
                self.tell_followers()
                return
            missed = None if have is None else self._since(have)
            if missed is None:
                connection.tell(self._view_frame())
            else:
                for frame in (*missed, frames.resumed(self.n, self.elapsed_ms(), self._facts)):
                    connection.tell(frame)
            self.connections.add(connection)
            self.tell_followers()
            if self.state != PLAYING:
                connection.tell(frames.ended(self.n, self._facts))
                if self._facts.verdict is not None:
                    connection.tell(protocol.write(self._facts.verdict))
            await self._finish_if_won()

    async def play(self, n: int, token: str) -> None:
        """Play one token and send it to all connections.

        :raises Refusal: not_begun, invalid_token, illegal_move, record_full, stale, paused, closed or server_busy.
        """
        async with self._lock:
            ms = await self._admit(n)
            frame = self._pushed(token, ms)
            await self._keep(n, (token,), ms)
            self._publish(n, frame)
            self._announce()
            metrics.MOVES.labels(self._table.GAME).inc()
            await self._finish_if_won()

    async def play_out(self, n: int) -> None:
        """Play the foundation moves that win the game, as ordinary tokens in one commit.

        :raises Refusal: illegal_move if there is no such run; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            run = winning_run(self._table)
            if not run:
                raise Refusal(ErrorCode.ILLEGAL_MOVE, "foundation moves alone do not win from here")
            told = [self._pushed(token, ms) for token in run]
            await self._keep(n, run, ms, auto=True)
            for place, frame in enumerate(told):
                self._publish(n + place, frame)
            self._announce()
            metrics.MOVES.labels(self._table.GAME).inc(len(run))
            await self._finish_if_won()

    async def rewind(self, n: int) -> None:
        """Undo every standing move, as ordinary tokens in one commit, and send the new view to all connections.

        :raises Refusal: illegal_move if no move stands; record_full if the record has no room; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            self._doubtful = bool(run := frames.push_rewind(self._table))
            await self._keep(n, run, ms)
            self.n += len(run)
            self._recent = None
            self._tell(self._view_frame())
            self.tell_followers()
            self._announce()
            metrics.MOVES.labels(self._table.GAME).inc(len(run))

    async def explain(self, question: protocol.Why) -> str:
        """Return the frame that explains why cards cannot be moved; the table does not change.

        :raises Refusal: not_begun, invalid_token or server_busy.
        """
        async with self._lock:
            self._check_begun()
            if self._doubtful:
                await self._read_again()
            return frames.because(self._table, question)

    async def resign(self, n: int) -> None:
        """Resign the game.

        :raises Refusal: not_begun, stale, paused, closed or server_busy.
        """
        async with self._lock:
            self._check_begun()
            # This process may have missed another's move, and a player must not resign a position they have not seen.
            await self._read_again()
            ms = await self._admit(n)
            await self._finish("resigned", ms)

    async def pause(self) -> None:
        """Stop the clock until `resume`, and tell all connections. Stopping it twice is harmless.

        :raises Refusal: no_pause, closed or server_busy.
        """
        await self._turn_clock(pause_attempt)

    async def resume(self) -> None:
        """Restart the clock, and tell all connections. Restarting a running clock is harmless.

        :raises Refusal: no_pause, closed or server_busy.
        """
        await self._turn_clock(resume_attempt)

    async def _turn_clock(self, turn: Callable[[int, datetime], Attempt]) -> None:
        at = datetime.fromtimestamp(now_ms() / 1000, UTC)
        if not self._facts.may_pause:
            raise Refusal(ErrorCode.NO_PAUSE, "only practice can be paused")
        async with self._lock:
            if self._doubtful:
                await self._read_again()
            await self._finish_if_won()
            try:
                attempt = await off_loop(turn)(self.attempt_id, at)
            except Attempt.DoesNotExist:
                raise protocol.not_found() from None
            except Error:
                raise protocol.busy("the database could not be reached") from None
            if attempt.is_over:
                await self._read_again()
                raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)
            self._facts.pauses = Pauses.of(attempt)
            self._tell_clock()
            if self.elsewhere:
                events.tell_attempt(self.public_id, "clock", n=self.n, process=self._process, pauses=[*self.pauses])

    async def tend(self) -> None:
        """Catch up: close a game that is due or could not be closed, and look for a verdict whose notice was lost.

        Failures are retried at the next call.
        """
        async with self._lock:
            try:
                overdue = self.state == PENDING and time.monotonic() - self._read_at > VERDICT_PATIENCE
                if self._doubtful or overdue:
                    await self._read_again()
                await self._close_if_due(self.elapsed_ms())
            except Refusal as error:
                if error.code is not ErrorCode.SERVER_BUSY:
                    raise
                log.info("table not tended, trying again later")
            await self._finish_if_won()

    async def heard(self, n: int, *, closed: bool = False, pauses: Sequence[int | None] | None = None) -> None:
        """Handle another process's report of token `n`, a close after it or its pauses; reload if any of it is new."""
        async with self._lock:
            other = pauses is not None and tuple(pauses) != self.pauses
            if self._doubtful or self.n < n or other or (closed and self.state == PLAYING):
                await self._read_again()

    async def look_again(self) -> None:
        """Reload the attempt before its start, so that a deleted or postponed one is not dealt; ignore failures."""
        async with self._lock:
            try:
                await self._read_again()
            except Refusal:
                log.info("table not reloaded, trying again later")
            if not self.is_dealt:
                self._first_view = self._view(0)

    def tell_followers(self) -> None:
        """Notify the table's followers of a change."""
        for follower in self.followers:
            follower.changed(self)

    def leave_alone(self) -> None:
        """Cancel the start timer, as no connection here waits for it any more."""
        if self._start is not None:
            self._start.cancel()

    async def check_owner(self, player_id: int) -> None:
        """Check that the attempt belongs to this player.

        :raises Refusal: not_yours.
        """
        if self._facts.player_id != player_id:
            # A guest who signs in takes their attempts along to the account.
            async with self._lock:
                await self._read_again()
        if self._facts.player_id != player_id:
            raise protocol.not_yours()

    async def settled(self, verdict: protocol.Verdict) -> None:
        """Send the verdict to all connections, after `ended` even if its notice arrived before the close's."""
        async with self._lock:
            if self._doubtful or self.state == PLAYING:
                await self._read_again(verdict)
            else:
                self._take_verdict(verdict)

    # The methods below are called with the lock held.

    async def _admit(self, n: int) -> int:
        """Check that token `n` may be played now, and return the clock's reading for it."""
        self._check_begun()
        # Another process may have resumed the game unnoticed.
        if self._doubtful or n > self.n + 1 or self._facts.is_paused:
            await self._read_again()
            if self.state == PLAYING and self._table.is_won:
                await self._finish("won")
        if self.state != PLAYING:
            raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)
        ms = self.elapsed_ms()
        if await self._close_if_due(ms):
            raise Refusal(ErrorCode.CLOSED, "the time for this deal is up", state=self.state)
        self._check_runs()
        if n != self.n + 1:
            raise Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)
        return ms

    def _check_begun(self) -> None:
        if not self.is_dealt and self._is_waiting():
            raise Refusal(ErrorCode.NOT_BEGUN, "the cards are not dealt yet", starts_in=self._left_ms())

    def _check_runs(self) -> None:
        if self._facts.is_paused:
            raise Refusal(ErrorCode.PAUSED, "this game is paused")

    def _is_waiting(self) -> bool:
        """Return whether the cards are still secret; if so, make sure that a timer will deal them."""
        if self.is_dealt:
            return False
        if self._left_ms() <= 0:
            self._deal()
            return False
        if self._start is None:
            self._start = Start(self._left_ms, self._deal, self.look_again, self.public_id.int)
        return True

    def _left_ms(self) -> int:
        """Return the milliseconds until the cards are dealt."""
        return self._facts.deals_at_ms - now_ms()

    def _deal(self) -> None:
        """Deal: send the first view to all connections."""
        if self.is_dealt:
            return
        self.is_dealt = True
        self.leave_alone()
        if self.connections and self.state == PLAYING:
            first = self._first_view or self._view(0)
            self._tell(protocol.write(msgspec.structs.replace(first, ms=self.elapsed_ms())))
            self.tell_followers()
        self._first_view = None

    def _pushed(self, token: str, ms: int) -> str:
        """Play an uncommitted token and return its `moved` frame. The table is in doubt until the commit."""
        frames.push(self._table, intern(token))  # the table keeps tokens, and a game has few distinct ones
        self._doubtful = True
        return frames.moved(self._table, token, ms, self._facts)

    async def _keep(self, n: int, tokens: tuple[str, ...], ms: int, *, auto: bool = False) -> None:
        """Commit the tokens that were pushed; after a failure the table stays in doubt until it is reloaded."""
        entry = Entry(self._facts.attempt_id, n, tokens, ms, auto=auto, paused_ms=self._facts.pauses.ms)
        try:
            kept = await self._journal.append(entry)
        except JournalBusyError as error:
            raise protocol.busy(str(error)) from None
        if kept:
            self._doubtful = False
            self._last_ms = ms
            return
        await self._read_again()
        if self.state != PLAYING:
            raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)
        self._check_runs()
        if n == self.n + 1:  # a pause went unnoticed, so the token's time was wrong
            raise protocol.busy("the clock had been stopped")
        raise Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)

    def _tell_clock(self) -> None:
        self._tell(frames.clock(self.elapsed_ms(), self._facts))
        self.tell_followers()

    def _publish(self, n: int, frame: str) -> None:
        self.n = n
        if self._recent is None:
            self._recent = deque(maxlen=RECENT)
        self._recent.append((n, frame))
        self._tell(frame)
        self.tell_followers()

    def _announce(self) -> None:
        """Tell the other processes that have the attempt open the number of the last token."""
        if self.elsewhere:
            events.tell_attempt(self.public_id, "moved", n=self.n, process=self._process)

    async def _close_if_due(self, ms: int) -> bool:
        """Close the attempt if its time is up, and return whether it was."""
        limit = self._facts.deadline_ms
        if self.state != PLAYING or limit is None or ms < limit:
            return False
        await self._finish("closed", limit)
        return True

    async def _finish_if_won(self) -> None:
        """Close a game that is won. If that fails, the moves stand and `tend` retries."""
        if self._doubtful or self.state != PLAYING or not self._table.is_won:
            return
        try:
            await self._finish("won")
        except Refusal:
            log.info("win not closed, trying again later")

    async def _finish(self, how: How, ms: int | None = None) -> None:
        """Close the attempt and tell all connections here; `close_attempt` tells the other processes."""
        facts = self._facts
        at = None if ms is None else facts.started_at + timedelta(milliseconds=ms + facts.pauses.ms)
        self._doubtful = True
        try:
            attempt, record = await off_loop(_closed)(facts.attempt_id, how, at)
        except Attempt.DoesNotExist:
            raise protocol.not_found() from None
        except (Error, NotWonError):
            log.exception("attempt not closed")
            raise protocol.busy("the game could not be closed yet") from None
        if len(record.tokens) != self.n:
            # Another process has played tokens not seen here; the reload sends them before the end.
            await self._read_again()
            return
        facts.state, facts.how, facts.end_ms = attempt.state, attempt.end, record.end.ms
        self._doubtful = False
        self._tell(frames.ended(self.n, facts))
        self.tell_followers()

    async def _read_again(self, verdict: protocol.Verdict | None = None) -> None:
        """Reload the table from the database and send all connections the news, a verdict last."""
        doubted, self._doubtful, self._first_view = self._doubtful, True, None
        try:
            loaded = await off_loop(load)(self.public_id)
        except Attempt.DoesNotExist:
            self._withdraw()
            raise protocol.not_found() from None
        except Error:
            log.warning("attempt not read", exc_info=True)
            raise protocol.busy("the database could not be reached") from None
        seen = self.n
        was, self._facts = self._facts, loaded
        if doubted or len(loaded.tokens) != seen:
            self._table = loaded.table
            for token in loaded.tokens[:seen]:
                self._table.push(token)
        loaded.table = self._table
        for token, ms in zip(loaded.tokens[seen:], loaded.clock[seen:], strict=True):
            self._publish(self.n + 1, self._pushed(token, ms))
        self._last_ms = loaded.clock[-1] if loaded.clock else 0
        loaded.tokens = loaded.clock = ()
        self._doubtful = False
        self._read_at = time.monotonic()
        if doubted and self.n > seen:
            self._announce()  # these may have been committed here, so no other process announces them
        self._tell_turns(was, loaded)
        if loaded.state != PLAYING and verdict is not None:
            self._take_verdict(verdict)  # this one knows the rank
        elif was.verdict is None and loaded.verdict is not None:
            self._take_verdict(loaded.verdict)

    def _tell_turns(self, was: Loaded, now: Loaded) -> None:
        """Tell all connections of a pause, a resume or an end that a reload has revealed."""
        if was.state != PLAYING:
            return
        if now.state != PLAYING:
            self._tell(frames.ended(self.n, now))
            self.tell_followers()
        elif was.pauses != now.pauses:
            self._tell_clock()

    def _withdraw(self) -> None:
        """Cancel the start of an attempt that was deleted, as by an aborted countdown; its cards stay secret."""
        self.leave_alone()
        if not self.is_dealt:
            error = protocol.not_found()
            self._tell(protocol.write(protocol.Error(code=error.code, message=error.message, n=0)))

    def _take_verdict(self, verdict: protocol.Verdict) -> None:
        self._facts.verdict = verdict
        self._facts.state = verdict.state
        self._tell(protocol.write(verdict))

    def _since(self, have: int) -> list[str] | None:
        """Return the frames after token `have`, or None if some of them are no longer kept."""
        recent: Sequence[tuple[int, str]] = self._recent or ()
        missed = [frame for n, frame in recent if n > have]
        return missed if len(missed) == self.n - have else None

    def _view(self, ms: int) -> protocol.View:
        return frames.view(self._table, self.public_id, ms, self._facts)

    def _view_frame(self) -> str:
        return protocol.write(self._view(self.elapsed_ms()))

    def _tell(self, frame: str) -> None:
        for connection in self.connections:
            connection.tell(frame)


def _closed(attempt_id: int, how: How, at: datetime | None) -> tuple[Attempt, Record]:
    """Close an attempt; return it with its record."""
    attempt = close_attempt(attempt_id, how, at=at)
    return attempt, record_of(attempt)
