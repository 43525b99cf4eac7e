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
from datetime import datetime, timedelta
from typing import Final, Protocol

from django.db import Error

from games import events, metrics
from games.attempts import How, NotWonError, close_attempt, record_of
from games.errors import ErrorCode, Refusal
from games.live import frames, protocol
from games.live.autofinish import winning_run
from games.live.frames import PLAYING
from games.live.journal import Journal, JournalBusyError
from games.live.journal_store import Entry
from games.live.loading import Loaded, load, off_loop
from games.models import Attempt
from games.rules import GAMES

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


def not_yours() -> Refusal:
    """Somebody else's attempt."""
    return Refusal(ErrorCode.NOT_YOURS, "this is another player's game")


def not_found() -> Refusal:
    """An attempt that does not exist, or not any more."""
    return Refusal(ErrorCode.NOT_FOUND, "there is no such game")


class Connection(Protocol):
    """What a table needs of a connection."""

    def tell(self, frame: str) -> None:
        """Queue a frame; never waits."""


class LiveTable:
    """An attempt as this process knows it."""

    __slots__ = (
        "_doubtful",
        "_facts",
        "_journal",
        "_last_ms",
        "_lock",
        "_process",
        "_read_at",
        "_recent",
        "_table",
        "connections",
        "elsewhere",
        "n",
        "public_id",
    )

    def __init__(self, public_id: uuid.UUID, loaded: Loaded, *, journal: Journal, process: str) -> None:
        self.public_id = public_id
        self._journal = journal
        self._process = process
        self.connections: set[Connection] = set()
        self.elsewhere: set[str] = set()
        """The other processes known to have this attempt open."""
        self.n = len(loaded.tokens)
        """The number of the last token known to be durable; every connection here has been told of it."""
        self._lock = asyncio.Lock()
        self._recent: deque[tuple[int, str]] | None = None
        self._facts = loaded
        self._table = loaded.table
        for token in loaded.tokens:
            self._table.push(token)
        self._last_ms = loaded.clock[-1] if loaded.clock else 0
        loaded.tokens = loaded.clock = ()
        self._doubtful = False
        """Whether the table may differ from the database: nothing is decided before it has been read again."""
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
        """Whether somebody is playing here: the game is running, and was opened or moved in recently."""
        if self.state != PLAYING or not self.connections:
            return False
        unmoved = (self.elapsed_ms() - self._last_ms) / 1000
        return min(unmoved, time.monotonic() - self._read_at) < ATTENDED_FOR

    def elapsed_ms(self) -> int:
        """The attempt's clock: now while it is being played, else when it ended; it never goes back."""
        return self._facts.elapsed_ms(self._last_ms, now_ms())

    async def greet(self, connection: Connection, have: int | None, *, fresh: bool) -> None:
        """Send a connection what it lacks after token `have`; reads the database first unless the table is `fresh`."""
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

        :raises Refusal: invalid_token, illegal_move, record_full, stale, closed or server_busy.
        """
        async with self._lock:
            ms = await self._admit(n)
            frame = self._pushed(token, ms)
            await self._keep(Entry(self._facts.attempt_id, n, (token,), ms))
            self._publish(n, frame)
            self._announce()
            _MOVES[self._table.GAME].inc()
            await self._finish_if_won()

    async def play_out(self, n: int) -> None:
        """Play the foundation moves that win, as ordinary tokens in one commit.

        :raises Refusal: illegal_move when there is no such run; else as `play`.
        """
        async with self._lock:
            ms = await self._admit(n)
            run = winning_run(self._table)
            if not run:
                raise Refusal(ErrorCode.ILLEGAL_MOVE, "foundation moves alone do not win from here")
            told = [self._pushed(token, ms) for token in run]
            await self._keep(Entry(self._facts.attempt_id, n, run, ms, auto=True))
            for place, frame in enumerate(told):
                self._publish(n + place, frame)
            self._announce()
            _MOVES[self._table.GAME].inc(len(run))
            await self._finish_if_won()

    async def resign(self, n: int) -> None:
        """Give the game up.

        :raises Refusal: stale, closed or server_busy.
        """
        async with self._lock:
            # Another process may have played without our hearing of it: nobody resigns a position they have not seen.
            await self._read_again()
            ms = await self._admit(n)
            await self._finish("resigned", ms)

    async def tend(self) -> None:
        """Catch up: close what is due or could not be closed, and look for a verdict that was never announced.

        What fails now is tried again at the next call.
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
                log.info("a table is tended later")
            await self._finish_if_won()

    async def heard(self, n: int, *, closed: bool = False) -> None:
        """Another process reports token `n`, or the close after it: read again if that is new here."""
        async with self._lock:
            if self._doubtful or self.n < n or (closed and self.state == PLAYING):
                await self._read_again()

    async def check_owner(self, player_id: int) -> None:
        """
        :raises Refusal: not_yours.
        """
        if self._facts.player_id != player_id:
            # A guest's attempts move to the account that the guest signs in to.
            async with self._lock:
                await self._read_again()
        if self._facts.player_id != player_id:
            raise not_yours()

    async def settled(self, verdict: protocol.Verdict) -> None:
        """Announce the verdict; `ended` goes first, even if the verdict was heard before the close."""
        async with self._lock:
            if self._doubtful or self.state == PLAYING:
                await self._read_again(verdict)
            else:
                self._take_verdict(verdict)

    # Each of these is called with the lock held.

    async def _admit(self, n: int) -> int:
        """Check that token `n` may come now; returns its time."""
        if self._doubtful or n > self.n + 1:
            await self._read_again()
            if self.state == PLAYING and self._table.is_won:
                await self._finish("won")
        if self.state != PLAYING:
            raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)
        ms = self.elapsed_ms()
        if await self._close_if_due(ms):
            raise Refusal(ErrorCode.CLOSED, "the time for this deal is up", state=self.state)
        if n != self.n + 1:
            raise Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)
        return ms

    def _pushed(self, token: str, ms: int) -> str:
        """Play a token that is not committed yet; returns its `moved` frame. The table is in doubt until the commit."""
        frames.push(self._table, token)
        self._doubtful = True
        return frames.moved(self._table, token, ms, self._facts)

    async def _keep(self, entry: Entry) -> None:
        """Commit what has been pushed; after a failure the table stays in doubt until it is read again."""
        try:
            kept = await self._journal.append(entry)
        except JournalBusyError as error:
            raise protocol.busy(str(error)) from None
        if kept:
            self._doubtful = False
            self._last_ms = entry.ms
            return
        await self._read_again()
        if self.state != PLAYING:
            raise Refusal(ErrorCode.CLOSED, "this game is over", state=self.state)
        raise Refusal(ErrorCode.STALE, f"the next token is number {self.n + 1}", next=self.n + 1)

    def _publish(self, n: int, frame: str) -> None:
        self.n = n
        if self._recent is None:
            self._recent = deque(maxlen=RECENT)
        self._recent.append((n, frame))
        self._tell(frame)

    def _announce(self) -> None:
        """Tell the other processes the number of the last token."""
        if self.elsewhere:
            events.tell_attempt(self.public_id, "moved", n=self.n, process=self._process)

    async def _close_if_due(self, ms: int) -> bool:
        """Close the attempt if its time is up; returns whether it was."""
        limit = self._facts.deadline_ms
        if self.state != PLAYING or limit is None or ms < limit:
            return False
        await self._finish("closed", limit)
        return True

    async def _finish_if_won(self) -> None:
        """Close a game that is won. If that fails, the moves still stand and `tend` tries again."""
        if self._doubtful or self.state != PLAYING or not self._table.is_won:
            return
        try:
            await self._finish("won")
        except Refusal:
            log.info("a win is closed later")

    async def _finish(self, how: How, ms: int | None = None) -> None:
        """Close the attempt and tell every connection here; `close_attempt` tells the other processes."""
        facts = self._facts
        at = None if ms is None else facts.started_at + timedelta(milliseconds=ms)
        self._doubtful = True
        try:
            attempt, tokens = await off_loop(_closed)(facts.attempt_id, how, at)
        except Attempt.DoesNotExist:
            raise not_found() from None
        except (Error, NotWonError):
            log.exception("attempt not closed")
            raise protocol.busy("the game could not be closed yet") from None
        if tokens != self.n:
            # Another process has played tokens not seen here: they are sent before the end.
            await self._read_again()
            return
        assert attempt.finished_at is not None
        facts.state, facts.how = attempt.state, attempt.end
        facts.end_ms = (attempt.finished_at - attempt.started_at) // timedelta(milliseconds=1)
        self._doubtful = False
        self._tell(frames.ended(self.n, facts))

    async def _read_again(self, verdict: protocol.Verdict | None = None) -> None:
        """Rebuild the table from the database and send every connection what it has not seen, a verdict last."""
        doubted, self._doubtful = self._doubtful, True
        try:
            loaded = await off_loop(load)(self.public_id)
        except Attempt.DoesNotExist:
            raise not_found() from None
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
            self._announce()  # tokens committed here in doubt: no other process announces them
        if was.state == PLAYING and loaded.state != PLAYING:
            self._tell(frames.ended(self.n, loaded))
        if loaded.state != PLAYING and verdict is not None:
            self._take_verdict(verdict)  # it knows the rank
        elif was.verdict is None and loaded.verdict is not None:
            self._take_verdict(loaded.verdict)

    def _take_verdict(self, verdict: protocol.Verdict) -> None:
        self._facts.verdict = verdict
        self._facts.state = verdict.state
        self._tell(protocol.write(verdict))

    def _since(self, have: int) -> list[str] | None:
        """The frames after token `have`, or None if some of them are no longer kept."""
        recent: Sequence[tuple[int, str]] = self._recent or ()
        missed = [frame for n, frame in recent if n > have]
        return missed if len(missed) == self.n - have else None

    def _view_frame(self) -> str:
        return protocol.write(frames.view(self._table, self.public_id, self.elapsed_ms(), self._facts))

    def _tell(self, frame: str) -> None:
        for connection in self.connections:
            connection.tell(frame)


def _closed(attempt_id: int, how: How, at: datetime | None) -> tuple[Attempt, int]:
    """Close an attempt; how it stands, and how many tokens its record has."""
    attempt = close_attempt(attempt_id, how, at=at)
    return attempt, len(record_of(attempt).tokens)
