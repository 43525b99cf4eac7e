"""Tables in memory: one an attempt and process, shared by all its connections here, rebuilt from the database at need.

A token is checked and played on the table in memory, but nobody hears of it before the journal has committed it. Who
loses a number to another process, or is left in doubt, reads the attempt again.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

from django.db import DatabaseError

from games import events, frames, metrics, protocol
from games.attempts import How, close_attempt
from games.autofinish import winning_run
from games.frames import PLAYING
from games.journal import JournalBusyError
from games.journal_store import Entry
from games.loading import Loaded, load, off_loop
from games.models import Attempt
from games.protocol import ErrorCode, ProtocolError
from games.rules import GAMES

if TYPE_CHECKING:
    from games.registry import LiveTables

log = logging.getLogger(__name__)

#: How many of the last `moved` frames are kept for connections that come back.
RECENT: Final = 16
PENDING: Final = str(Attempt.State.PENDING)
#: How long, in seconds, a verdict is waited for before the database is asked.
VERDICT_PATIENCE: Final = 5.0
#: How long after the last move, in seconds, somebody who has the table open counts as sitting at it.
ATTENDED_FOR: Final = 900.0
_MOVES: Final = {game: metrics.MOVES.labels(game) for game in GAMES}


def now_ms() -> int:
    """The server's wall clock, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def not_yours() -> ProtocolError:
    """Somebody else's attempt."""
    return ProtocolError(ErrorCode.NOT_YOURS, "this is another player's game")


class Connection(Protocol):
    """What a table knows of somebody who looks at it."""

    def tell(self, frame: str) -> None:
        """Take a frame to be sent; never waits."""


class LiveTable:
    """An attempt as this process knows it."""

    __slots__ = (
        "_doubtful",
        "_facts",
        "_last_ms",
        "_lock",
        "_read_at",
        "_recent",
        "_table",
        "_tables",
        "connections",
        "elsewhere",
        "n",
        "public_id",
    )

    def __init__(self, public_id: uuid.UUID, tables: LiveTables, loaded: Loaded) -> None:
        self.public_id = public_id
        self.connections: set[Connection] = set()
        self.elsewhere: set[str] = set()
        """The other processes that are known to have this attempt open."""
        self.n = len(loaded.tokens)
        """The number of the last token that is durable, as far as this process knows; everybody here was told of it."""
        self._tables = tables
        self._lock = asyncio.Lock()
        self._recent: deque[tuple[int, str]] | None = None
        self._facts = loaded
        self._table = loaded.table
        for token in loaded.tokens:
            self._table.push(token)
        self._last_ms = loaded.clock[-1] if loaded.clock else 0
        loaded.tokens = loaded.clock = ()
        self._doubtful = False
        """Whether the table may hold more than `n` tokens, or other ones."""
        self._read_at = time.monotonic()

    @property
    def player_id(self) -> int:
        """Whose attempt this is."""
        return self._facts.player_id

    @property
    def state(self) -> str:
        """Where the attempt stands."""
        return self._facts.state

    @property
    def deal(self) -> protocol.DealInfo:
        """What anybody may know of the deal."""
        return self._facts.deal

    def is_attended(self) -> bool:
        """Whether somebody is playing here: the game runs, and was opened or moved in not long ago."""
        if self.state != PLAYING or not self.connections:
            return False
        unmoved = (self.elapsed_ms() - self._last_ms) / 1000
        return min(unmoved, time.monotonic() - self._read_at) < ATTENDED_FOR

    def elapsed_ms(self) -> int:
        """The attempt's clock: now while it is being played, else when it ended; it never goes back."""
        return self._facts.elapsed_ms(self._last_ms, now_ms())

    async def greet(self, connection: Connection, have: int | None, *, fresh: bool) -> None:
        """Bring a connection that has seen the tokens up to `have` up to date; the database is asked unless `fresh`."""
        async with self._lock:
            if self._doubtful or not fresh:
                await self._read_again()
            missed = None if have is None else self._since(have)
            if missed is None:
                connection.tell(self._view_frame())
            else:
                for frame in (*missed, frames.resumed(self.n, self.elapsed_ms(), self._facts)):
                    connection.tell(frame)
            self.connections.add(connection)
            if self.state != PLAYING:
                connection.tell(frames.ended(self.n, self._facts))
                if self._facts.verdict is not None:
                    connection.tell(protocol.write(self._facts.verdict))
            await self._finish_if_won()

    async def play(self, n: int, token: str) -> None:
        """Play one token and tell everybody.

        :raises ProtocolError: invalid_token, illegal_move, record_full, stale, closed or server_busy.
        """
        async with self._lock:
            ms = await self._admit(n)
            frame = self._pushed(token, ms)
            await self._keep(Entry(self._facts.attempt_id, n, (token,), ms))
            self._publish(n, frame)
            _MOVES[self._table.GAME].inc()
            if self._table.is_won:
                await self._finish("won")

    async def play_out(self, n: int) -> None:
        """Play the foundation moves that win, as ordinary tokens in one commit.

        :raises ProtocolError: illegal_move when there is no such run; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            run = winning_run(self._table)
            if not run:
                raise ProtocolError(ErrorCode.ILLEGAL_MOVE, "foundation moves alone do not win from here")
            told = [self._pushed(token, ms) for token in run]
            await self._keep(Entry(self._facts.attempt_id, n, run, ms, auto=True))
            for place, frame in enumerate(told):
                self._publish(n + place, frame)
            _MOVES[self._table.GAME].inc(len(run))
            await self._finish("won")

    async def resign(self, n: int) -> None:
        """Give the game up.

        :raises ProtocolError: stale, closed or server_busy.
        """
        async with self._lock:
            # A process that has played meanwhile may not have been heard of: nobody resigns a position not seen.
            await self._read_again()
            ms = await self._admit(n)
            await self._finish("resigned", ms)

    async def tend(self) -> None:
        """Make up for what was missed: a close that failed or whose time has come, a verdict nobody told us of."""
        limit = self._facts.deadline_ms
        due = limit is not None and self.elapsed_ms() >= limit
        async with self._lock:
            if self.state == PLAYING and (due or self._table.is_won):
                await self._finish("closed", limit)
            elif self.state == PENDING and time.monotonic() - self._read_at > VERDICT_PATIENCE:
                await self._read_again()

    async def heard(self, n: int, *, closed: bool = False) -> None:
        """Somebody says that token `n` has been played, or the attempt closed after it: look whether that is news."""
        async with self._lock:
            if self.n < n or (closed and self.state == PLAYING):
                await self._read_again()

    async def check_owner(self, player_id: int) -> None:
        """
        :raises ProtocolError: not_yours.
        """
        if self._facts.player_id != player_id:
            # A guest's attempts move to the account that the guest signs in to.
            async with self._lock:
                await self._read_again()
        if self._facts.player_id != player_id:
            raise not_yours()

    def settled(self, verdict: protocol.Verdict) -> None:
        """The verifier has decided: tell everybody."""
        self._facts.verdict = verdict
        self._facts.state = verdict.state
        self._tell(protocol.write(verdict))

    async def frames_since(self, have: int) -> list[str]:
        """What brings a client that has seen the tokens up to `have` up to date."""
        async with self._lock:
            if self._doubtful:
                await self._read_again()
            missed = self._since(have)
            return [self._view_frame()] if missed is None else missed

    # Each of these is called with the lock held.

    async def _admit(self, n: int) -> int:
        """Check that token `n` may come now; returns its time."""
        if self._doubtful or n > self.n + 1:
            await self._read_again()
        if self._facts.state != PLAYING:
            raise ProtocolError(ErrorCode.CLOSED, "this game is over", state=self._facts.state)
        ms = self.elapsed_ms()
        limit = self._facts.deadline_ms
        if limit is not None and ms >= limit:
            await self._finish("closed", limit)
            raise ProtocolError(ErrorCode.CLOSED, "the time for this deal is up", state=self._facts.state)
        if n != self.n + 1:
            raise ProtocolError(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)
        return ms

    def _pushed(self, token: str, ms: int) -> str:
        """Play a token on the table; returns the frame that tells of it."""
        frames.push(self._table, token)
        return frames.moved(self._table, token, ms, self._facts)

    async def _keep(self, entry: Entry) -> None:
        """Commit what has been pushed; on any failure the table is in doubt until it is read again."""
        self._doubtful = True
        try:
            kept = await self._tables.journal.append(entry)
        except JournalBusyError as error:
            raise protocol.busy(str(error)) from None
        if kept:
            self._doubtful = False
            self._last_ms = entry.ms
            return
        await self._read_again()
        if self.state != PLAYING:
            raise ProtocolError(ErrorCode.CLOSED, "this game is over", state=self.state)
        raise ProtocolError(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)

    def _publish(self, n: int, frame: str) -> None:
        self.n = n
        if self._recent is None:
            self._recent = deque(maxlen=RECENT)
        self._recent.append((n, frame))
        self._tell(frame)
        if self.elsewhere:
            events.tell_attempt(self.public_id, "moved", n=n, process=self._tables.process)

    async def _finish(self, how: How, ms: int | None = None) -> None:
        """Close the attempt and tell everybody here; other processes hear of it from the close itself."""
        facts = self._facts
        at = None if ms is None else facts.started_at + timedelta(milliseconds=ms)
        try:
            attempt = await off_loop(close_attempt)(facts.attempt_id, how, at=at)
        except DatabaseError:
            log.exception("attempt not closed")
            raise protocol.busy("the game could not be closed yet") from None
        assert attempt.finished_at is not None
        facts.state, facts.how = attempt.state, attempt.end
        facts.end_ms = (attempt.finished_at - attempt.started_at) // timedelta(milliseconds=1)
        self._tell(frames.ended(self.n, self._facts))

    async def _finish_if_won(self) -> None:
        if self._facts.state == PLAYING and self._table.is_won:
            await self._finish("won")

    async def _read_again(self) -> None:
        """Make the table what the database says, and tell everybody what they have not seen."""
        try:
            loaded = await off_loop(load)(self.public_id)
        except DatabaseError:
            raise protocol.busy("the database could not be reached") from None
        seen = self.n
        was, self._facts = self._facts, loaded
        if self._doubtful or len(loaded.tokens) != seen:
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
        if was.state == PLAYING and loaded.state != PLAYING:
            self._tell(frames.ended(self.n, self._facts))
        if was.verdict is None and loaded.verdict is not None:
            self._tell(protocol.write(loaded.verdict))

    def _since(self, have: int) -> list[str] | None:
        """The frames after token `have`, or None when they are not all here."""
        recent: Sequence[tuple[int, str]] = self._recent or ()
        missed = [frame for n, frame in recent if n > have]
        return missed if len(missed) == self.n - have else None

    def _view_frame(self) -> str:
        return protocol.write(frames.view(self._table, self.public_id, self.elapsed_ms(), self._facts))

    def _tell(self, frame: str) -> None:
        for connection in self.connections:
            connection.tell(frame)
