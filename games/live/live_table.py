"""Live table: a player's commands on a live game, shared by all its connections to this process."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from games.attempts.pausing import pause_attempt, resume_attempt
from games.core import metrics
from games.core.errors import ErrorCode, Refusal
from games.live import clock, frames, protocol
from games.live.autofinish import winning_run
from games.live.feed import Connection
from games.live.frames import PLAYING
from games.live.live_game import LiveGame
from games.live.loader import in_database

log = logging.getLogger(__name__)

#: Seconds after the last move for which a player with the table open still counts as playing.
ATTENDED_FOR: Final = 900.0


class LiveTable:
    """The commands of one game. Each takes the game's lock."""

    __slots__ = ("game",)

    def __init__(self, game: LiveGame) -> None:
        self.game = game

    def is_attended(self) -> bool:
        """Return whether a player is active here: the game is running, and was loaded or moved in recently."""
        game, copy = self.game, self.game.copy
        if game.state != PLAYING or game.facts.is_paused or not game.feed.connections:
            return False
        unmoved = (self.game.copy.clock.elapsed_ms() - copy.clock.last_ms) / 1000
        return min(unmoved, time.monotonic() - copy.read_at) < ATTENDED_FOR

    async def greet(self, connection: Connection, have: int | None, *, fresh: bool) -> None:
        """Send a connection all it missed after token `have`; reload the attempt first unless it is `fresh`."""
        game = self.game
        async with game.lock:
            if game.copy.is_doubtful or not fresh:
                await game.reload()
            if game.is_waiting():
                connection.send_frame(protocol.write(frames.waiting(game.copy.public_id, clock.now_ms(), game.facts)))
                game.feed.add(connection)
                return
            self._send_missed(connection, have)
            game.feed.add(connection)
            if game.state != PLAYING:
                connection.send_frame(frames.ended(game.n, game.facts))
                if game.facts.verdict is not None:
                    connection.send_frame(protocol.write(game.facts.verdict))
            await game.finish_if_won()

    async def play(self, n: int, token: str) -> None:
        """Play one token and send it to all connections.

        :raises Refusal: not_begun, invalid_token, illegal_move, card_revealed, record_full, stale, paused, closed or
            server_busy.
        """
        async with self.game.lock:
            ms = await self.game.admit(n)
            if token == "u":  # noqa: S105
                frames.check_undo(self.game.facts)
            await self._commit(n, (token,), ms)

    async def play_out(self, n: int) -> None:
        """Play the foundation moves that win the game, as ordinary tokens in one commit.

        :raises Refusal: illegal_move if there is no such run; else as `play`.
        """
        async with self.game.lock:
            ms = await self.game.admit(n)
            run = winning_run(self.game.facts.table)
            if not run:
                raise Refusal(ErrorCode.ILLEGAL_MOVE, "foundation moves alone do not win from here")
            await self._commit(n, run, ms, auto=True)

    async def rewind(self, n: int) -> None:
        """Undo every standing move that may be undone, as ordinary tokens in one commit; send all connections the view.

        :raises Refusal: illegal_move if no move stands; card_revealed if the last one must stand; record_full if the
            record has no room; else as `play`.
        """
        game = self.game
        async with game.lock:
            ms = await game.admit(n)
            run = frames.push_rewind(game.facts)
            game.copy.is_doubtful = True
            await game.commit(n, run, ms)
            game.feed.skip(len(run))
            game.feed.send_change(protocol.write(game.copy.view()))
            self._count(len(run))

    async def explain(self, question: protocol.Why) -> str:
        """Return the frame that explains why cards cannot be moved; the table does not change.

        :raises Refusal: not_begun, invalid_token or server_busy.
        """
        async with self.game.lock:
            self.game.check_dealt()
            if self.game.copy.is_doubtful:
                await self.game.reload()
            return frames.because(self.game.facts.table, question)

    async def resign(self, n: int) -> None:
        """Resign the game.

        :raises Refusal: not_begun, stale, paused, closed or server_busy.
        """
        async with self.game.lock:
            self.game.check_dealt()
            # This process may have missed another's move, and a player must not resign a position they have not seen.
            await self.game.reload()
            ms = await self.game.admit(n)
            await self.game.finish("resigned", ms)

    async def set_paused(self, *, paused: bool) -> None:
        """Stop or restart the clock, and tell all connections. Repeating it is harmless.

        :raises Refusal: no_pause, closed or server_busy.
        """
        game, change = self.game, pause_attempt if paused else resume_attempt
        at = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
        if not game.facts.may_pause:
            raise Refusal(ErrorCode.NO_PAUSE, "only practice can be paused")
        async with game.lock:
            if game.copy.is_doubtful:
                await game.reload()
            await game.finish_if_won()
            attempt = await in_database(change, game.facts.attempt_id, at)
            if attempt.is_over:
                await game.reload()
                raise Refusal(ErrorCode.CLOSED, "this game is over", state=game.state)
            game.copy.set_pauses(attempt)

    async def catch_up(self) -> None:
        """Catch up: close a game that is due or could not be closed, and look for a verdict whose notice was lost.

        Failures are retried at the next call.
        """
        game = self.game
        async with game.lock:
            try:
                if game.copy.is_doubtful or game.copy.is_verdict_overdue():
                    await game.reload()
                await game.close_if_due(self.game.copy.clock.elapsed_ms())
            except Refusal as error:
                if error.code is not ErrorCode.SERVER_BUSY:
                    raise
                log.info("table not tended, trying again later")
            await game.finish_if_won()

    async def on_notice(self, n: int, *, closed: bool = False, pauses: Sequence[int | None] | None = None) -> None:
        """Handle another process's report of token `n`, a close after it or its pauses; reload if any of it is new."""
        game = self.game
        async with game.lock:
            pauses_differ = pauses is not None and tuple(pauses) != game.facts.pauses
            if game.copy.is_doubtful or game.n < n or pauses_differ or (closed and game.state == PLAYING):
                await game.reload()

    async def on_verdict(self, verdict: protocol.Verdict) -> None:
        """Send the verdict to all connections, after `ended` even if its notice arrived before the close's."""
        async with self.game.lock:
            if self.game.copy.is_doubtful or self.game.state == PLAYING:
                await self.game.reload(verdict)
            else:
                self.game.copy.set_verdict(verdict)

    async def check_owner(self, player_id: int) -> None:
        """Check that the attempt belongs to this player.

        :raises Refusal: not_yours.
        """
        if self.game.facts.player_id != player_id:
            # A guest who signs in takes their attempts along to the account.
            async with self.game.lock:
                await self.game.reload()
        if self.game.facts.player_id != player_id:
            raise protocol.not_yours()

    # The methods below are called with the lock held.

    async def _commit(self, n: int, tokens: tuple[str, ...], ms: int, *, auto: bool = False) -> None:
        game = self.game
        moved = [game.copy.push(token, ms) for token in tokens]
        await game.commit(n, tokens, ms, auto=auto)
        for frame in moved:
            game.feed.publish(frame)
        self._count(len(tokens))
        await game.finish_if_won()

    def _count(self, tokens: int) -> None:
        """Announce committed tokens to the other processes, and count them."""
        self.game.feed.announce()
        metrics.MOVES.labels(self.game.facts.table.GAME).inc(tokens)

    def _send_missed(self, connection: Connection, have: int | None) -> None:
        """Send a connection the tokens after `have`, or the whole view if they are no longer kept."""
        game = self.game
        missed = game.feed.since(have)
        if missed is None:
            connection.send_frame(protocol.write(game.copy.view()))
            return
        for frame in (*missed, frames.resumed(game.n, self.game.copy.clock.elapsed_ms(), game.facts)):
            connection.send_frame(frame)
