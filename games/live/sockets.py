"""What every WebSocket that is talked to does: accept, limit, refuse, check the session, close."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Final

import structlog
from django.contrib.auth.models import AnonymousUser
from django.db import Error
from prometheus_client import Gauge

from games import metrics
from games.errors import ErrorCode, Refusal
from games.live import protocol
from games.live.allowance import allowance_of, keep_until_full
from games.live.eviction import open_sockets, session_name
from games.live.outbox import Outbox
from games.live.visitors import session_of, user_of

log = structlog.get_logger(__name__)

#: Seconds until the session of a connection is checked against the database again.
SESSION_GOOD_FOR: Final = 60.0
#: So many seconds sooner at a ping, for whose answer nobody waits as they do for a move's. Clients ping every 15 s, so
#: hardly any move of theirs meets with a check.
PING_AHEAD: Final = 20.0
#: Seconds from the opening of a connection to its `hello`.
HELLO_WITHIN: Final = 10.0
#: Messages over the rate, one after the other, until the connection is closed.
MOST_REFUSED: Final = 200

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class SocketConnection(ABC):
    """One connection, whose protocol a subclass speaks.

    Not one of Channels' consumers: those keep two tasks and a channel each and look for stale database connections at
    every message, which together cost more than a move does. Only what uses the database looks after its connections,
    and a process listens for notices once (see `games.live.notices`).
    """

    __slots__ = (
        "__weakref__",
        "_allowance",
        "_checked_at",
        "_clock",
        "_closer",
        "_closing",
        "_idle",
        "_leaving",
        "_outbox",
        "_parted",
        "_refused",
        "_send",
        "_session_key",
        "player_id",
        "session",
    )

    FATAL: ClassVar[Mapping[ErrorCode, int]]
    """The codes after which the connection is closed, with the WebSocket close codes."""
    SOCKETS: ClassVar[Gauge]
    """Where open connections are counted."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._outbox = Outbox(self._send)
        self._refused = 0
        self._closing = False
        self._parted = False
        self._leaving = False
        self._idle = False
        """Whether nothing of the client's is being worked on, or waits for it."""
        self._closer: asyncio.Future[None] | None = None
        user, session = scope.get("user"), scope.get("session")
        self.player_id: int | None = user.pk if user is not None and user.is_authenticated else None
        self._session_key: str | None = getattr(session, "session_key", None)
        self.session = session_name(self._session_key) if self._session_key else None
        self._allowance = allowance_of(self.player_id)
        self._clock: asyncio.TimerHandle | None = None
        self._checked_at = time.monotonic()
        _forget(scope)

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends. Problems with what it is about are answered at `hello`."""
        self.SOCKETS.inc()
        open_sockets().add(self)
        self._clock = asyncio.get_running_loop().call_later(HELLO_WITHIN, self._give_up)
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
            keep_until_full(self._allowance)
            await self._leave()

    def tell(self, frame: str) -> None:
        """Take a frame to be sent, unless the close is sent already."""
        if not self._parted and not self._outbox.put(frame):
            self._cut_off(protocol.CLOSE_SLOW, "slow reader")

    def go_away(self) -> None:
        """The server stops: close once all that has arrived is answered, so that the client goes on elsewhere."""
        self._leaving = True
        if self._idle and not self._closing:
            self._closer = asyncio.ensure_future(self._close_if_idle())

    def evict(self) -> None:
        """The session has ended or changed: close, so that the client connects and says `hello` again."""
        self._cut_off(protocol.CLOSE_SESSION, "session ended")

    @abstractmethod
    async def _do(self, text: str) -> None:
        """Do what a frame says.

        :raises Refusal: with one of the protocol's codes.
        """

    @abstractmethod
    async def _leave(self) -> None:
        """The connection has ended."""

    @abstractmethod
    def _error_frame(self, error: Refusal) -> str:
        """How the protocol tells of a refusal."""

    async def _next(self, receive: Receive) -> dict[str, Any]:
        """The next message; if the server stops, of those that have arrived already."""
        if self._leaving:
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
        """Handle one message; the next ones wait in the server's buffers meanwhile."""
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
            raise Refusal(ErrorCode.BAD_FRAME, "frames are text")
        return text

    def _is_check_due(self, ahead: float = 0.0) -> bool:
        """Whether it is time for `_check_session`, or will be in so many seconds."""
        return time.monotonic() - self._checked_at > SESSION_GOOD_FOR - ahead

    async def _check_session(self) -> None:
        """Check that the session is still the one the connection was opened with.

        :raises Refusal: session_expired; server_busy while nobody can say.
        """
        try:
            user = await user_of(session_of(self._session_key))
        except Error:
            log.warning("session not checked", exc_info=True)
            raise protocol.busy("the session could not be looked at") from None
        if not user.is_authenticated or user.pk != self.player_id:
            raise session_expired()
        self._checked_at = time.monotonic()

    async def _refuse(self, error: Refusal) -> None:
        metrics.REFUSALS.labels(error.code).inc()
        self.tell(self._error_frame(error))
        if error.code in self.FATAL:
            await self._close(self.FATAL[error.code])
        elif self._refused > MOST_REFUSED:
            await self._close(protocol.CLOSE_RATE)

    async def _close_if_idle(self) -> None:
        """Close, unless a message has just been on its way from the server to here; then `_next` will."""
        if self._idle:
            await self._close(protocol.CLOSE_RESTART)

    async def _close(self, code: int) -> None:
        """Send what waits, then close."""
        if not self._closing:
            self._closing = True
            await self._part(code)

    async def _part(self, code: int) -> None:
        with contextlib.suppress(OSError):  # the client is gone already
            await self._outbox.flush()
            self._parted = True
            await self._send({"type": "websocket.close", "code": code})

    def _stop_clock(self) -> None:
        """The client has said hello, or goes."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        """The client has not said hello."""
        self._cut_off(protocol.CLOSE_NO_HELLO, "no hello")

    def _cut_off(self, code: int, reason: str) -> None:
        """Close without waiting for anybody."""
        if not self._closing:
            self._closing = True
            log.info("connection cut off", reason=reason)
            self._closer = asyncio.ensure_future(self._send_close(code))

    async def _send_close(self, code: int) -> None:
        with contextlib.suppress(OSError):  # the client is gone already
            await self._send({"type": "websocket.close", "code": code})


def check_version(said: int, spoken: int) -> None:
    """
    :raises Refusal: unsupported_version.
    """
    if said != spoken:
        raise Refusal(ErrorCode.UNSUPPORTED_VERSION, f"this server speaks version {spoken}", speaks=[spoken])


def session_expired() -> Refusal:
    """Nobody is signed in, or not any more."""
    return Refusal(ErrorCode.SESSION_EXPIRED, "sign in again, or start again as a guest")


def _forget(scope: Scope) -> None:
    """Drop what was needed to get here: the middleware's scopes live as long as the connection, and most are idle."""
    user, session = scope.get("user"), scope.get("session")
    if user is not None:
        user._wrapped = AnonymousUser()  # noqa: SLF001 - a lazy object can be emptied in no other way
    if session is not None and hasattr(session, "_session_cache"):
        del session._session_cache  # noqa: SLF001 - read again at need
    # Every middleware copies the scope but shares these.
    scope.get("headers", []).clear()
    scope.get("cookies", {}).clear()
