"""Live table: an attempt in the memory of this process, shared by all the player's connections to it.

A token is checked and played on the table in memory, but no connection hears of it until the journal has committed it.
A table that loses a number to another process, or cannot tell, reloads the attempt from the database.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from sys import intern
from typing import Final

from django.db import Error

from games.attempts.lifecycle import How, NotWonError, close_attempt, record_of
from games.attempts.pausing import pause_attempt, resume_attempt
from games.core import metrics
from games.core.errors import ErrorCode, Refusal
from games.live import attempt_state, frames, protocol
from games.live.attempt_state import AttemptState, PauseState
from games.live.autofinish import winning_run
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import JournalEntry
from games.live.loader import in_database, load, off_loop
from games.live.start_timer import StartTimer
from games.live.subscribers import Connection, TableSubscribers
from games.models import Attempt
from games.rules import Record

log = logging.getLogger(__name__)

#: Seconds after the last move for which a player with the table open still counts as playing.
ATTENDED_FOR: Final = 900.0
#: Seconds to wait for a verdict's notice before reading the database.
VERDICT_PATIENCE: Final = 5.0


class LiveTable:
    """The one owner of an attempt's state and subscribers here: only its methods change them, and with its lock held.

    The state may have fallen behind the database. Others may read it at any time.
    """

    __slots__ = ("_first_view", "_journal", "_lock", "_read_at", "attempt", "is_doubtful", "start", "subscribers")

    attempt: AttemptState

    def __init__(self, attempt: AttemptState, journal: Journal, process: str) -> None:
        self._journal = journal
        self._lock = asyncio.Lock()
        self._first_view: protocol.View | None
        """First view, built ahead of the start because many tables deal in the same millisecond."""
        self.is_doubtful = False
        """True if the table may differ from the database; it must then be reloaded before any decision."""
        self.subscribers = TableSubscribers(attempt.public_id, process, len(attempt.tokens))
        attempt.push_all()
        self._take(attempt)
        self.start: StartTimer | None = None
        """Timer that deals the cards, which are secret before; None once they are dealt."""
        if attempt.ms_until_deal() > 0:
            self.start = StartTimer(attempt.public_id, self._ms_until_deal, self.prepare_deal, self._deal)

    @property
    def n(self) -> int:
        """Number of the last committed token."""
        return self.subscribers.n

    def is_attended(self) -> bool:
        """Return whether a player is active here: the game is running, and was loaded or moved in recently."""
        attempt = self.attempt
        if not attempt.is_playing or attempt.is_paused or not self.subscribers.connections:
            return False
        unmoved = (attempt.elapsed_ms() - attempt.last_ms) / 1000
        return min(unmoved, time.monotonic() - self._read_at) < ATTENDED_FOR

    def close(self) -> None:
        """Leave the table to other processes, after the last connection."""
        if self.start is not None:
            self.start.cancel()
        self.subscribers.announce("left")

    # Commands of the player's connections. Each takes the lock.

    async def greet(self, connection: Connection, have: int | None, *, fresh: bool) -> None:
        """Send a connection all it missed after token `have`; reload the attempt first unless it is `fresh`."""
        async with self._lock:
            if self.is_doubtful or not fresh:
                await self._reload()
            if self._is_waiting():
                connection.send_frame(protocol.write(frames.waiting(self.attempt)))
                self.subscribers.add(connection)
                return
            missed = self.subscribers.since(have)
            if missed is None:
                connection.send_frame(protocol.write(frames.view(self.attempt)))
            else:
                for frame in (*missed, frames.resumed(self.attempt)):
                    connection.send_frame(frame)
            self.subscribers.add(connection)
            if not self.attempt.is_playing:
                connection.send_frame(frames.ended(self.attempt))
                if self.attempt.verdict is not None:
                    connection.send_frame(protocol.write(self.attempt.verdict))
            await self._finish_if_won()

    async def play(self, n: int, token: str) -> None:
        """Play one token and send it to all connections.

        :raises Refusal: not_begun, invalid_token, illegal_move, card_revealed, record_full, stale, paused, closed or
            server_busy.
        """
        async with self._lock:
            ms = await self._admit(n)
            if token == "u":  # noqa: S105
                self.attempt.check_undo()
            await self._play(n, (token,), ms)

    async def play_all(self, n: int, tokens: tuple[str, ...]) -> None:
        """Play tokens of a practice game in one commit, and send all connections the view.

        :raises Refusal: bad_frame in a game that counts, whose tokens come one by one; else as `play`.
        """
        if not self.attempt.may_pause:
            raise Refusal(ErrorCode.BAD_FRAME, "only practice takes several moves at once")
        async with self._lock:
            ms = await self._admit(n)
            self.is_doubtful = True
            for token in tokens:
                self.attempt.play(intern(token), ms)
            await self._commit_run(n, tokens, ms)
            await self._finish_if_won()

    async def play_out(self, n: int) -> None:
        """Play the foundation moves that win the game, as ordinary tokens in one commit.

        :raises Refusal: illegal_move if there is no such run; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            run = winning_run(self.attempt.table)
            if not run:
                raise Refusal(ErrorCode.ILLEGAL_MOVE, "foundation moves alone do not win from here")
            await self._play(n, run, ms, auto=True)

    async def rewind(self, n: int, *, to_choice: bool) -> None:
        """Undo every standing move that may be undone, as ordinary tokens in one commit; send all connections the view.

        `to_choice` stops at the last position that was not a dead end.

        :raises Refusal: illegal_move if no move stands; card_revealed if the last one must stand; record_full if the
            record has no room; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            run = self.attempt.rewind(ms, to_choice=to_choice)
            await self._commit_run(n, run, ms)

    async def explain(self, question: protocol.Why) -> str:
        """Return the frame that explains why cards cannot be moved; the table does not change.

        :raises Refusal: not_begun, invalid_token or server_busy.
        """
        async with self._lock:
            self._check_dealt()
            if self.is_doubtful:
                await self._reload()
            return frames.because(self.attempt.table, question)

    async def resign(self, n: int) -> None:
        """Resign the game.

        :raises Refusal: not_begun, stale, paused, closed or server_busy.
        """
        async with self._lock:
            self._check_dealt()
            # This process may have missed another's move, and a player must not resign a position they have not seen.
            await self._reload()
            ms = await self._admit(n)
            await self._finish("resigned", ms)

    async def set_paused(self, *, paused: bool) -> None:
        """Stop or restart the clock, and tell all connections. Repeating it is harmless.

        :raises Refusal: no_pause, closed or server_busy.
        """
        change = pause_attempt if paused else resume_attempt
        at = datetime.fromtimestamp(attempt_state.now_ms() / 1000, UTC)
        if not self.attempt.may_pause:
            raise Refusal(ErrorCode.NO_PAUSE, "only practice can be paused")
        async with self._lock:
            if self.is_doubtful:
                await self._reload()
            await self._finish_if_won()
            stored = await in_database(change, self.attempt.attempt_id, at)
            if stored.is_over:
                await self._reload()
                raise self._closed("this game is over")
            self.attempt.pauses = PauseState.of(stored)
            self.subscribers.send_change(frames.clock(self.attempt))
            self.subscribers.announce("clock", pauses=[*self.attempt.pauses])

    async def catch_up(self) -> None:
        """Catch up: close a game that is due or could not be closed, and look for a verdict whose notice was lost.

        Failures are retried at the next call.
        """
        async with self._lock:
            try:
                if self.is_doubtful or self._is_verdict_overdue():
                    await self._reload()
                await self._close_if_due(self.attempt.elapsed_ms())
            except Refusal as error:
                if error.code is not ErrorCode.SERVER_BUSY:
                    raise
                log.info("table not tended, trying again later")
            await self._finish_if_won()

    async def check_owner(self, player_id: int) -> None:
        """Check that the attempt belongs to this player.

        :raises Refusal: not_yours.
        """
        if self.attempt.player_id != player_id:
            # A guest who signs in takes their attempts along to the account.
            async with self._lock:
                await self._reload()
        if self.attempt.player_id != player_id:
            raise protocol.not_yours()

    # Notices of other processes. Each takes the lock.

    async def on_notice(self, n: int, *, closed: bool = False, pauses: Sequence[int | None] | None = None) -> None:
        """Handle another process's report of token `n`, a close after it or its pauses; reload if any of it is new."""
        async with self._lock:
            pauses_differ = pauses is not None and tuple(pauses) != self.attempt.pauses
            if self.is_doubtful or self.n < n or pauses_differ or (closed and self.attempt.is_playing):
                await self._reload()

    async def on_verdict(self, verdict: protocol.Verdict) -> None:
        """Send the verdict to all connections, after `ended` even if its notice arrived before the close's."""
        async with self._lock:
            if self.is_doubtful or self.attempt.is_playing:
                await self._reload(verdict)
            else:
                self._set_verdict(verdict)

    # The start of a race.

    async def prepare_deal(self) -> None:
        """Reload the attempt before its start, so that a deleted or postponed one is not dealt; ignore failures."""
        async with self._lock:
            try:
                await self._reload()
            except Refusal:
                log.info("table not reloaded, trying again later")
            if self.start is not None:
                self._first_view = frames.view(self.attempt)

    def _ms_until_deal(self) -> int:
        return self.attempt.ms_until_deal()

    def _is_waiting(self) -> bool:
        """Return whether the cards are still secret; deal them if it is time."""
        if self.start is not None and self._ms_until_deal() <= 0:
            self._deal()
        return self.start is not None

    def _deal(self) -> None:
        """Deal, unless the start was cancelled: send the first view to all connections."""
        if self.start is None or self.start.is_cancelled:
            return
        self.start.cancel()
        self.start = None
        if self.subscribers.connections and self.attempt.is_playing:
            view = self._first_view or frames.view(self.attempt)
            view.ms = self.attempt.elapsed_ms()
            self.subscribers.send_change(protocol.write(view))
        self._first_view = None

    def _check_dealt(self) -> None:
        """Check that the cards have been dealt.

        :raises Refusal: not_begun.
        """
        if self._is_waiting():
            raise Refusal(ErrorCode.NOT_BEGUN, "the cards are not dealt yet", starts_in=self._ms_until_deal())

    # Moves. The methods below are called with the lock held.

    async def _admit(self, n: int) -> int:
        """Check that token `n` may be played now, and return the clock's reading for it."""
        self._check_dealt()
        # Another process may have resumed the game unnoticed.
        if self.is_doubtful or n > self.n + 1 or self.attempt.is_paused:
            await self._reload()
            if self.attempt.is_playing and self.attempt.table.is_won:
                await self._finish("won")
        self._check_in_play()
        ms = self.attempt.elapsed_ms()
        if await self._close_if_due(ms):
            raise self._closed("the time for this deal is up")
        if n != self.n + 1:
            raise self._stale()
        return ms

    async def _play(self, n: int, tokens: tuple[str, ...], ms: int, *, auto: bool = False) -> None:
        moved = [self._push(token, ms) for token in tokens]
        await self._commit(n, tokens, ms, auto=auto)
        for frame in moved:
            self.subscribers.publish(frame)
        self._count(len(tokens))
        await self._finish_if_won()

    def _push(self, token: str, ms: int) -> str:
        """Play an uncommitted token and return its `moved` frame. The table is in doubt until the commit."""
        self.attempt.play(intern(token), ms)  # the table keeps tokens, and a game has few distinct ones
        self.is_doubtful = True
        return frames.moved(token, ms, self.attempt)

    async def _commit_run(self, n: int, tokens: tuple[str, ...], ms: int) -> None:
        """Commit tokens that were pushed, and send all connections one view instead of each move."""
        await self._commit(n, tokens, ms)
        self.subscribers.skip(len(tokens))
        self.subscribers.send_change(protocol.write(frames.view(self.attempt)))
        self._count(len(tokens))

    async def _commit(self, n: int, tokens: tuple[str, ...], ms: int, *, auto: bool = False) -> None:
        """Commit the tokens that were pushed; after a failure the table stays in doubt until it is reloaded."""
        self.is_doubtful = True
        entry = JournalEntry(self.attempt.attempt_id, n, tokens, ms, auto=auto, paused_ms=self.attempt.pauses.ms)
        try:
            committed = await self._journal.append(entry)
        except JournalBusyError as error:
            raise protocol.busy(str(error)) from None
        if committed:
            self.is_doubtful = False
            self.attempt.last_ms = ms
            return
        await self._reload()
        self._check_in_play()
        if n == self.n + 1:  # a pause went unnoticed, so the token's time was wrong
            raise protocol.busy("the clock had been stopped")
        raise self._stale()

    def _count(self, tokens: int) -> None:
        """Announce committed tokens to the other processes, and count them."""
        self.subscribers.announce()
        metrics.MOVES.labels(self.attempt.table.GAME).inc(tokens)

    def _check_in_play(self) -> None:
        """Check that the game is neither over nor paused.

        :raises Refusal: closed or paused.
        """
        if not self.attempt.is_playing:
            raise self._closed("this game is over")
        if self.attempt.is_paused:
            raise Refusal(ErrorCode.PAUSED, "this game is paused")

    def _closed(self, message: str) -> Refusal:
        return Refusal(ErrorCode.CLOSED, message, state=self.attempt.state)

    def _stale(self) -> Refusal:
        return Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)

    # The end of the game.

    async def _close_if_due(self, ms: int) -> bool:
        """Close the attempt if its time is up, and return whether it was."""
        deadline_ms = self.attempt.deadline_ms
        if not self.attempt.is_playing or deadline_ms is None or ms < deadline_ms:
            return False
        await self._finish("closed", deadline_ms)
        return True

    async def _finish_if_won(self) -> None:
        """Close a game that is won. If that fails, the moves stand and `catch_up` retries."""
        if self.is_doubtful or not self.attempt.is_playing or not self.attempt.table.is_won:
            return
        try:
            await self._finish("won")
        except Refusal:
            log.info("win not closed, trying again later")

    async def _finish(self, how: How, ms: int | None = None) -> None:
        """Close the attempt and tell all connections here; `close_attempt` tells the other processes."""
        attempt = self.attempt
        at = None if ms is None else attempt.time_of(ms)
        self.is_doubtful = True
        try:
            stored, record = await off_loop(_close)(attempt.attempt_id, how, at)
        except Attempt.DoesNotExist:
            raise protocol.not_found() from None
        except (Error, NotWonError):
            log.exception("attempt not closed")
            raise protocol.busy("the game could not be closed yet") from None
        if len(record.tokens) != self.n:
            # Another process has played tokens not seen here; the reload sends them before the end.
            await self._reload()
            return
        attempt.state, attempt.how, attempt.end_ms = stored.state, stored.end, record.end.ms
        self.is_doubtful = False
        self.subscribers.send_change(frames.ended(attempt))

    def _is_verdict_overdue(self) -> bool:
        """Return whether the notice of the verdict was probably lost."""
        is_pending = self.attempt.state == Attempt.State.PENDING
        return is_pending and time.monotonic() - self._read_at > VERDICT_PATIENCE

    def _set_verdict(self, verdict: protocol.Verdict) -> None:
        """Note the verdict and send it to all connections."""
        self.attempt.verdict = verdict
        self.attempt.state = verdict.state
        self.subscribers.send_frame(protocol.write(verdict))

    # The copy in the database.

    async def _reload(self, verdict: protocol.Verdict | None = None) -> None:
        """Reload the attempt from the database and send all connections the news, a verdict last.

        :raises Refusal: not_found if it was deleted, or server_busy; the table stays in doubt.
        """
        doubted, self.is_doubtful = self.is_doubtful, True
        loaded = await self._load()
        was, self.attempt = self.attempt, loaded
        known = self.n
        if doubted or len(loaded.tokens) != known:
            loaded.push_all(known)
        else:
            loaded.table, loaded.progress, loaded.reveals = was.table, was.progress, was.reveals
        missed = zip(loaded.tokens[known:], loaded.token_times[known:], strict=True)
        moved = [self._push(token, ms) for token, ms in missed]
        self._take(loaded)
        self.is_doubtful = False
        for frame in moved:
            self.subscribers.publish(frame)
        if moved and doubted:  # they may have been committed here, so that no other process announces them
            self.subscribers.announce()
        self._send_changed_state(was)
        if not loaded.is_playing and verdict is not None:
            self._set_verdict(verdict)  # this one knows the rank
        elif was.verdict is None and loaded.verdict is not None:
            self._set_verdict(loaded.verdict)

    async def _load(self) -> AttemptState:
        """Read the attempt; if it was deleted, as by an aborted countdown, do not deal it.

        :raises Refusal: not_found or server_busy.
        """
        try:
            return await in_database(load, self.attempt.public_id)
        except Refusal as error:
            if error.code is ErrorCode.NOT_FOUND and self.start is not None:
                self.start.cancel()
                message = protocol.Error(code=error.code, message=error.message, n=0)
                self.subscribers.send_frame(protocol.write(message))
            raise

    def _send_changed_state(self, was: AttemptState) -> None:
        """Tell all connections of a pause, a resume or an end that a reload has revealed."""
        if was.is_playing and not self.attempt.is_playing:
            self.subscribers.send_change(frames.ended(self.attempt))
        elif was.is_playing and was.pauses != self.attempt.pauses:
            self.subscribers.send_change(frames.clock(self.attempt))

    def _take(self, attempt: AttemptState) -> None:
        """Take over an attempt whose tokens have been played, and free what is known from the table."""
        self.attempt, self._first_view = attempt, None
        attempt.tokens = attempt.token_times = ()
        self._read_at = time.monotonic()


def _close(attempt_id: int, how: How, at: datetime | None) -> tuple[Attempt, Record]:
    attempt = close_attempt(attempt_id, how, at=at)
    return attempt, record_of(attempt)
