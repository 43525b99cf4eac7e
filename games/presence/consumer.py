"""WebSocket consumer of a daily deal's lanes: anyone may watch an open deal; it only sends lanes and answers pings."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from django.utils import timezone

from games.core import metrics
from games.core.asgi_types import Receive, Scope, Send
from games.live.loader import off_loop
from games.live.protocol import CLOSE_RATE
from games.live.sockets.frame_socket import CLOSE_TALKING, FrameSocket
from games.live.sockets.message_limit import Allowance
from games.live.watcher import FrameWatch, Hub
from games.presence import daily_lanes

#: Maximum characters of a frame, and messages per connection and minute; a client sends four pings in that time.
MAX_CHARACTERS: Final = 200
MAX_MESSAGES: Final = 30
_MINUTE: Final = 60.0


class Hello(msgspec.Struct, tag="hello", tag_field="type"):
    """The first message: the protocol version."""

    v: int


class Ping(msgspec.Struct, tag="ping", tag_field="type"):
    """Ask for a `pong`, which echoes `t`."""

    t: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


_decoder: Final[msgspec.json.Decoder[Hello | Ping]] = msgspec.json.Decoder(Hello | Ping)


async def watch(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection to `/ws/lanes/<deal id>/`, as an ASGI application."""
    await LanesConsumer(scope, send).run(receive)


class LanesConsumer(FrameSocket[int]):
    """A connection that watches one deal's lanes."""

    SOCKETS = metrics.SOCKETS.labels("lanes")

    def __init__(self, scope: Scope, send: Send) -> None:
        super().__init__(scope, send)
        self._allowance = Allowance(MAX_MESSAGES / _MINUTE, MAX_MESSAGES)

    def _hub(self) -> Hub[int, FrameWatch]:
        return daily_lanes.hub()

    async def _subject(self) -> int | None:
        deal_id: int = self._scope["url_route"]["kwargs"]["deal"]
        return deal_id if await off_loop(daily_lanes.watchable)(deal_id, timezone.now()) else None

    async def _on_message(self, text: str | None) -> int:
        """Answer a message; return a close code if the client sends too much or violates the protocol, else 0."""
        if self._allowance.spend():
            return CLOSE_RATE
        if text is None or len(text) > MAX_CHARACTERS:
            return CLOSE_TALKING
        try:
            message = _decoder.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return CLOSE_TALKING
        if isinstance(message, Ping):
            await self._send({"type": "websocket.send", "text": daily_lanes.write(daily_lanes.Pong(message.t))})
        return 0
