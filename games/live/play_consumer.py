"""WebSocket consumer of a game: parse, call, reply."""

from __future__ import annotations

import uuid

import structlog

from games.core import metrics
from games.core.asgi_types import Receive, Scope, Send
from games.core.errors import ErrorCode, Refusal
from games.live import protocol
from games.live.live_table import LiveTable
from games.live.sockets.base_consumer import PING_AHEAD, SocketConnection, check_version, session_expired
from games.live.table_registry import LiveTables, shared_tables


async def play(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection, as an ASGI application."""
    await PlayConsumer(scope, send, shared_tables()).run(receive)


class PlayConsumer(SocketConnection):
    """A connection to one attempt."""

    __slots__ = ("_public_id", "_table", "_tables")

    FATAL = protocol.FATAL
    SOCKETS = metrics.SOCKETS.labels("play")

    def __init__(self, scope: Scope, send: Send, tables: LiveTables) -> None:
        super().__init__(scope, send)
        self._public_id: uuid.UUID = scope["url_route"]["kwargs"]["attempt"]
        self._tables = tables
        self._table: LiveTable | None = None

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends."""
        structlog.contextvars.bind_contextvars(attempt=str(self._public_id))
        await super().run(receive)

    async def _do(self, text: str) -> None:
        message = protocol.parse(text)
        if self._is_check_due(PING_AHEAD if type(message) is protocol.Ping else 0.0):
            await self._check_session()
        if type(message) is protocol.Hello:
            self._stop_clock()
            await self._hello(message)
        elif type(message) is protocol.Ping:
            await self._pong(message)
        elif self._table is None:
            raise Refusal(ErrorCode.BAD_FRAME, "the first message must be hello")
        else:
            await self._dispatch(self._table, message)

    async def _pong(self, ping: protocol.Ping) -> None:
        """Answer a ping, also one that came before the table: a busy server may have refused the hello."""
        ms = None if self._table is None else self._table.attempt.elapsed_ms()
        self.send_frame(protocol.write(protocol.Pong(t=ping.t, ms=ms)))
        if self._table is not None:
            await self._table.catch_up()

    async def _dispatch(self, table: LiveTable, message: protocol.ClientMessage) -> None:
        if type(message) is protocol.Move:
            await table.play(message.n, message.token)
        elif type(message) is protocol.Moves:
            await table.play_all(message.n, tuple(message.tokens))
        elif type(message) is protocol.Auto:
            await table.play_out(message.n)
        elif type(message) is protocol.Rewind:
            await table.rewind(message.n, to_choice=message.to_choice)
        elif type(message) is protocol.Why:
            self.send_frame(await table.explain(message))
        elif type(message) is protocol.Pause:
            await table.set_paused(paused=True)
        elif type(message) is protocol.Resume:
            await table.set_paused(paused=False)
        elif type(message) is protocol.Resign:
            await table.resign(message.n)

    async def _hello(self, message: protocol.Hello) -> None:
        check_version(message.v, protocol.VERSION)
        if self.player_id is None:
            raise session_expired()
        if self._table is None:
            self._table = await self._tables.join(self._public_id, self.player_id, self, message.have)
        else:
            await self._table.greet(self, message.have, fresh=False)
        self.replace_older()

    async def _check_session(self) -> None:
        """Check the session, and that the attempt still belongs to its player.

        :raises Refusal: not_yours, or as the base class.
        """
        await super()._check_session()
        if self._table is not None and self.player_id is not None:
            await self._table.check_owner(self.player_id)

    async def _leave(self) -> None:
        if self._table is not None:
            await self._tables.leave(self._public_id, self)

    def _error_frame(self, error: Refusal) -> str:
        n = 0 if self._table is None else self._table.n
        return protocol.write(protocol.Error(code=error.code, message=error.message, n=n, data=error.data))
