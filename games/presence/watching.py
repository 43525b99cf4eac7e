"""WebSocket consumer of a daily deal's lanes: anyone may watch an open deal; it only sends lanes and answers pings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

import msgspec
from django.db import Error
from django.utils import timezone

from games import metrics
from games.live.loading import off_loop
from games.live.protocol import CLOSE_RATE
from games.presence import lanes

CLOSE_NOT_FOUND: Final = 4404
CLOSE_TALKING: Final = 4400
CLOSE_LATER: Final = 1013
#: Maximum characters of a frame, and messages per connection and minute; a client sends four pings in that time.
MOST_CHARACTERS: Final = 200
MOST_MESSAGES: Final = 30
_MINUTE: Final = 60.0

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Hello(msgspec.Struct, tag="hello", tag_field="type"):
    """The first message: the protocol version."""

    v: int


class Ping(msgspec.Struct, tag="ping", tag_field="type"):
    """Ask for a `pong`, which echoes `t`."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


_decoder: Final[msgspec.json.Decoder[Hello | Ping]] = msgspec.json.Decoder(Hello | Ping)


async def watch(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection to `/ws/lanes/<deal id>/`, as an ASGI application."""
    with metrics.SOCKETS.labels("lanes").track_inprogress():
        await LanesConsumer(scope["url_route"]["kwargs"]["deal"], send).run(receive)


class LanesConsumer:
    """A connection that watches one deal's lanes."""

    def __init__(self, deal_id: int, send: Send) -> None:
        self._deal_id = deal_id
        self._send = send
        self._newest: str | None = None
        self._sender: asyncio.Task[None] | None = None
        self._left = float(MOST_MESSAGES)
        self._filled_at = asyncio.get_running_loop().time()

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends."""
        await receive()
        await self._send({"type": "websocket.accept"})
        if code := await self._refusal():
            await self._send({"type": "websocket.close", "code": code})
            return
        lanes.hub().add(self._deal_id, self)
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if code := await self._answer(message.get("text")):
                    await self._send({"type": "websocket.close", "code": code})
                    return
        finally:
            lanes.hub().discard(self._deal_id, self)
            if self._sender is not None:
                self._sender.cancel()

    def show(self, frame: str) -> None:
        """Queue the newest frame; a slow client skips the ones in between."""
        self._newest = frame
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_newest())

    async def _refusal(self) -> int:
        """Return the close code for a deal that cannot be watched, or 0 if it can."""
        try:
            variant = await off_loop(lanes.watchable)(self._deal_id, timezone.now())
        except Error:
            return CLOSE_LATER
        return 0 if variant else CLOSE_NOT_FOUND

    async def _answer(self, text: str | None) -> int:
        """Answer a message; return a close code if the client sends too much or violates the protocol, else 0."""
        if not self._spend():
            return CLOSE_RATE
        if text is None or len(text) > MOST_CHARACTERS:
            return CLOSE_TALKING
        try:
            message = _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return CLOSE_TALKING
        if isinstance(message, Ping):
            await self._send({"type": "websocket.send", "text": lanes.write(lanes.Pong(message.t))})
        return 0

    def _spend(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._left = min(MOST_MESSAGES, self._left + (now - self._filled_at) * MOST_MESSAGES / _MINUTE)
        self._filled_at = now
        self._left -= 1
        return self._left >= 0

    async def _send_newest(self) -> None:
        while (frame := self._newest) is not None:
            self._newest = None
            await self._send({"type": "websocket.send", "text": frame})
