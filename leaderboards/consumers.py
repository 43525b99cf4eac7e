"""WebSocket consumer of the live board. It only sends; boards are public, so no sign-in is needed."""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast
from urllib.parse import parse_qs

from channels.consumer import AsyncConsumer
from channels.exceptions import StopConsumer
from django.db import Error

from games import metrics
from games.ladders import Ladder
from games.live.loading import off_loop
from games.models import Deal
from leaderboards.keys import BOARDS, BoardName
from leaderboards.listings import ladder_named
from leaderboards.live import hub

CLOSE_NOT_FOUND: Final = 4404
CLOSE_TALKING: Final = 4400
CLOSE_LATER: Final = 1013


class BoardConsumer(AsyncConsumer):
    """Connection that watches a board: `/ws/board/<deal id>/?board=race|fewest&ladder=established|newcomers`.

    Without a ladder it watches the one shown first.
    """

    channel_layer_alias = "none"  # the hub listens to the channel layer for all connections

    def __init__(self) -> None:
        self._newest: str | None = None
        self._sender: asyncio.Task[None] | None = None
        self._deal: Deal | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve the connection, and clean up however it ends."""
        self._send = cast("Any", send)
        try:
            with metrics.SOCKETS.labels("board").track_inprogress():
                await super().__call__(scope, receive, send)
        finally:
            if self._deal is not None:
                hub().discard(self._deal, self._board, self, self._ladder)
            if self._sender is not None:
                self._sender.cancel()

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the message's method, without Channels' check for stale database connections."""
        await getattr(self, message["type"].replace(".", "_"))(message)

    async def websocket_connect(self, _message: dict[str, Any]) -> None:
        """Accept, and show the board if it exists."""
        await self._send({"type": "websocket.accept"})
        board, ladder = _asked(self.scope["query_string"])
        try:
            deal = await off_loop(_deal)(self.scope["url_route"]["kwargs"]["deal"])
        except Error:
            await self._send({"type": "websocket.close", "code": CLOSE_LATER})
            return
        if deal is None or board is None:
            await self._send({"type": "websocket.close", "code": CLOSE_NOT_FOUND})
            return
        self._deal, self._board, self._ladder = deal, board, ladder
        hub().add(deal, board, self, ladder)

    async def websocket_receive(self, _message: dict[str, Any]) -> None:
        """Close the connection: clients of the live board must not send."""
        await self._send({"type": "websocket.close", "code": CLOSE_TALKING})

    async def websocket_disconnect(self, _message: dict[str, Any]) -> None:
        """Stop watching."""
        raise StopConsumer

    def show(self, frame: str) -> None:
        """Send the newest frame; a slow reader skips the frames in between."""
        self._newest = frame
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_newest())

    async def _send_newest(self) -> None:
        while (frame := self._newest) is not None:
            self._newest = None
            await self._send({"type": "websocket.send", "text": frame})


def _deal(deal_id: int) -> Deal | None:
    return Deal.objects.filter(pk=deal_id, day__isnull=False).first()


def _asked(query: bytes) -> tuple[BoardName | None, Ladder | None]:
    """Parse the board and the ladder from the query string; the board is None if either is unknown."""
    asked = parse_qs(query.decode("latin-1"))
    wanted, slug = asked.get("board", ["race"])[0], asked.get("ladder", [""])[0]
    board = next((board for board in BOARDS if board == wanted), None)
    ladder = ladder_named(slug)
    return (board if ladder or not slug else None), ladder
