"""Base class of the public sockets that show one subject's newest frame, such as a board, and answer pings."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import ClassVar, Final, Generic, TypeVar, get_args

from django.db import Error
from prometheus_client import Gauge

from games.core.asgi_types import Receive, Scope, Send
from games.core.errors import Refusal
from games.live import protocol
from games.live.sockets.message_limit import Allowance
from games.live.sockets.wire_format import Wire
from games.live.watcher import FrameWatch, Hub

CLOSE_NOT_FOUND: Final = 4404
CLOSE_TALKING: Final = 4400
#: Messages per second of a connection, and the burst; a client pings every four seconds, and when its page wakes.
RATE: Final = 0.5
BURST: Final = 30.0

_Key = TypeVar("_Key")
_Message = protocol.Hello | protocol.Ping
_wire: Final[Wire[_Message]] = Wire(_Message, protocol.VERSION, get_args(_Message), ())


class FrameSocket(ABC, Generic[_Key]):
    """A connection that watches a subject. Subjects are public, so no sign-in is needed."""

    SOCKETS: ClassVar[Gauge]
    """Gauge of open connections."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._allowance = Allowance(RATE, BURST)
        self._newest: str | None = None
        self._sender: asyncio.Task[None] | None = None

    async def run(self, receive: Receive) -> None:
        """Serve the connection until it ends."""
        self.SOCKETS.inc()
        try:
            await receive()
            await self._send({"type": "websocket.accept"})
            if code := await self._serve(receive):
                await self._send({"type": "websocket.close", "code": code})
        finally:
            self.SOCKETS.dec()
            if self._sender is not None:
                self._sender.cancel()

    def show(self, frame: str) -> None:
        """Send the newest frame; a slow client skips the ones in between."""
        self._newest = frame
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_newest())

    @abstractmethod
    def _hub(self) -> Hub[_Key, FrameWatch]:
        """Return the process's hub of subjects of this kind."""

    @abstractmethod
    async def _subject(self) -> _Key | None:
        """Return the subject to watch; None if there is no such subject.

        :raises Error: if the database cannot be reached.
        """

    async def _on_message(self, text: str | None) -> int:
        """Answer a message; return a close code if the client sends too much or violates the protocol, else 0."""
        if self._allowance.spend():
            return protocol.CLOSE_RATE
        try:
            message = _wire.parse(text or "")
        except Refusal:
            return CLOSE_TALKING
        if isinstance(message, protocol.Ping):
            await self._send({"type": "websocket.send", "text": f'{{"type":"pong","t":{message.t}}}'})
        return 0

    async def _serve(self, receive: Receive) -> int:
        """Show the subject until the client leaves; return the close code if this ends the connection, else 0."""
        try:
            key = await self._subject()
        except Error:
            return protocol.CLOSE_DATABASE_DOWN
        if key is None:
            return CLOSE_NOT_FOUND
        await self._hub().join(key, self)
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if code := await self._on_message(message.get("text")):
                    return code
        finally:
            self._hub().leave(key, self)
        return 0

    async def _send_newest(self) -> None:
        while (frame := self._newest) is not None:
            self._newest = None
            await self._send({"type": "websocket.send", "text": frame})
