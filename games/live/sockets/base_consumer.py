"""Base class of the WebSocket consumers: accept, rate limit, refuse, check the session, close."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import structlog
from django.contrib.auth.models import AnonymousUser
from django.db import Error
from prometheus_client import Gauge

from games.core import metrics
from games.core.asgi_types import Receive, Scope, Send
from games.core.errors import ErrorCode, Refusal
from games.live import protocol
from games.live.sockets.authentication import session_of, user_of
from games.live.sockets.eviction import open_sockets, session_name
from games.live.sockets.message_limit import allowance_of, retain_until_full
from games.live.sockets.send_queue import Outbox

log = structlog.get_logger(__name__)

#: Seconds after which a connection's session is checked against the database again.
SESSION_GOOD_FOR: Final = 60.0
#: Seconds by which a ping brings that check forward: a player does not wait for a pong as for the answer to a move.
#: Clients ping every 4 s, so a move hardly ever has to wait for a check.
PING_AHEAD: Final = 20.0
#: Seconds allowed between the opening of a connection and its `hello`.
HELLO_WITHIN: Final = 10.0
#: Consecutive rate-limited messages after which the connection is closed.
MAX_REFUSED: Final = 200


class SocketConnection(ABC):
    """A WebSocket connection; subclasses implement the protocol.

    This is not a Channels consumer. Those keep two tasks and a channel each, and check for stale database connections
    at every message, which together cost more than a move does. Here only the code that uses the database takes care
    of its connections, and each process has one listener for notices (see `games.live.broadcasts`).
    """

    __slots__ = (
        "__weakref__",
        "_allowance",
        "_checked_at",
        "_clock",
        "_close_sent",
        "_closer",
        "_closing",
        "_draining",
        "_idle",
        "_outbox",
        "_refused",
        "_send",
        "_session_key",
        "player_id",
        "replace_older",
        "session",
    )

    FATAL: ClassVar[Mapping[ErrorCode, int]]
    """Error codes that close the connection, with their WebSocket close codes."""
    SOCKETS: ClassVar[Gauge]
    """Gauge of open connections."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._outbox = Outbox(self._send)
        self._refused = 0
        self._closing = False
        self._close_sent = False
        self._draining = False
        self._idle = False
        """True while no message from the client is being handled or queued."""
        self._closer: asyncio.Future[None] | None = None
        user, session = scope.get("user"), scope.get("session")
        self.player_id: int | None = user.pk if user is not None and user.is_authenticated else None
        self._session_key: str | None = getattr(session, "session_key", None)
        self.session = session_name(self._session_key) if self._session_key else None
        self.replace_older: Callable[[], None] = scope.get("replace_older", lambda: None)
        self._allowance = allowance_of(self.player_id)
        self._clock: asyncio.TimerHandle | None = None
        self._checked_at = time.monotonic()
        _free_scope(scope)

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends. A missing attempt or room is only reported at `hello`."""
        self.SOCKETS.inc()
        open_sockets().add(self)
        self._clock = asyncio.get_running_loop().call_later(
            HELLO_WITHIN, self._cut_off, protocol.CLOSE_NO_HELLO, "no hello"
        )
        try:
            while (message := await self._next(receive))["type"] != "websocket.disconnect":
                if message["type"] == "websocket.receive":
                    await self._received(message.get("text"))
                elif not self._closing:
                    await self._send({"type": "websocket.accept"})
        finally:
            self.SOCKETS.dec()
            self._stop_clock()
            open_sockets().discard(self)
            retain_until_full(self._allowance)
            await self._leave()

    def send_frame(self, frame: str) -> None:
        """Queue a frame, unless the close has already been sent."""
        if not self._close_sent and not self._outbox.put(frame):
            self._cut_off(protocol.CLOSE_SLOW, "slow reader")

    def close_for_restart(self) -> None:
        """Close once every message received is answered: the server is stopping, and the client should reconnect."""
        self._draining = True
        if self._idle and not self._closing:
            self._closer = asyncio.ensure_future(self._close_if_idle())

    def evict(self) -> None:
        """Close because the session has ended or changed; the client reconnects and sends `hello` again."""
        self._cut_off(protocol.CLOSE_SESSION, "session ended")

    @abstractmethod
    async def _do(self, text: str) -> None:
        """Handle a frame.

        :raises Refusal: with one of the protocol's codes.
        """

    @abstractmethod
    async def _leave(self) -> None:
        """Clean up after the connection has ended."""

    @abstractmethod
    def _error_frame(self, error: Refusal) -> str:
        """Return the protocol's error frame for a refusal."""

    async def _next(self, receive: Receive) -> dict[str, Any]:
        """Return the next message. While the server is stopping, close once none is left that has already arrived."""
        if self._draining:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0):
                    return await receive()
            await self._close(protocol.CLOSE_RESTART)
        self._idle = True
        try:
            return await receive()
        finally:
            self._idle = False

    async def _received(self, text: str | None) -> None:
        """Handle one message; further ones wait in the server's buffers."""
        if self._closing:
            return
        self._outbox.hold()
        try:
            await self._do(self._admitted(text))
        except Refusal as error:
            await self._refuse(error)
        finally:
            await self._outbox.flush()

    def _admitted(self, text: str | None) -> str:
        if wait := self._allowance.spend():
            self._refused += 1
            raise Refusal(ErrorCode.RATE_LIMITED, "too many messages", retry_after_ms=wait)
        self._refused = 0
        if text is None:
            raise Refusal(ErrorCode.BAD_FRAME, "frames must be text")
        return text

    def _is_check_due(self, ahead: float = 0.0) -> bool:
        """Return whether `_check_session` is due within `ahead` seconds."""
        return time.monotonic() - self._checked_at > SESSION_GOOD_FOR - ahead

    async def _check_session(self) -> None:
        """Check that the session still belongs to the player who opened the connection.

        :raises Refusal: session_expired; server_busy if the database cannot be reached.
        """
        try:
            user = await user_of(session_of(self._session_key))
        except Error:
            log.warning("session not checked", exc_info=True)
            raise protocol.busy("the session could not be checked") from None
        if not user.is_authenticated or user.pk != self.player_id:
            raise session_expired()
        self._checked_at = time.monotonic()

    async def _refuse(self, error: Refusal) -> None:
        metrics.REFUSALS.labels(error.code).inc()
        self.send_frame(self._error_frame(error))
        if error.code in self.FATAL:
            await self._close(self.FATAL[error.code])
        elif self._refused > MAX_REFUSED:
            await self._close(protocol.CLOSE_RATE)

    async def _close_if_idle(self) -> None:
        """Close, unless a message arrived in the meantime; then `_next` closes after it."""
        if self._idle:
            await self._close(protocol.CLOSE_RESTART)

    async def _close(self, code: int) -> None:
        """Send the queued frames, then close."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(OSError):  # the client has disconnected
            await self._outbox.flush()
            self._close_sent = True
            await self._send({"type": "websocket.close", "code": code})

    def _stop_clock(self) -> None:
        """Cancel the `hello` timeout."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _cut_off(self, code: int, reason: str) -> None:
        """Close at once, without sending the queued frames."""
        if not self._closing:
            self._closing = True
            log.info("connection cut off", reason=reason)
            self._closer = asyncio.ensure_future(self._send_close(code))

    async def _send_close(self, code: int) -> None:
        with contextlib.suppress(OSError):  # the client has disconnected
            await self._send({"type": "websocket.close", "code": code})


def check_version(version: int, supported: int) -> None:
    """Check that the client speaks this server's protocol version.

    :raises Refusal: unsupported_version.
    """
    if version != supported:
        raise Refusal(ErrorCode.UNSUPPORTED_VERSION, f"this server speaks version {supported}", speaks=[supported])


def session_expired() -> Refusal:
    """Return the refusal for a connection without a signed-in player, or whose session has ended."""
    return Refusal(ErrorCode.SESSION_EXPIRED, "sign in again, or start again as a guest")


def _free_scope(scope: Scope) -> None:
    """Free the data used to open the connection: the scope lives as long as the connection, and most are idle."""
    user, session = scope.get("user"), scope.get("session")
    if user is not None:
        user._wrapped = AnonymousUser()  # noqa: SLF001 - the only way to empty a lazy object
    if session is not None and hasattr(session, "_session_cache"):
        del session._session_cache  # noqa: SLF001 - it is read again when needed
    # Middlewares copy the scope, but all copies share these two.
    scope.get("headers", []).clear()
    scope.get("cookies", {}).clear()
