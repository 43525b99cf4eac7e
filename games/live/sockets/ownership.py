"""Ownership of sockets: which player or address each belongs to, and which one gives way to a newer one.

A player's newest socket replaces older ones with the same path and query, and beyond `MAX_PER_PLAYER` the oldest of
all, so that dead connections never lock a player out. Only visitors are counted by address, and refused. Each process
decides about its own sockets.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any, Final

from games.core import addresses, metrics
from games.core.asgi_types import Application, Receive, Scope, Send
from games.live.protocol import CLOSE_CROWDED, CLOSE_REPLACED

#: One player's tabs and devices.
MAX_PER_PLAYER: Final = 12
#: Visitors of a household or a class behind one address.
MAX_PER_ADDRESS: Final = 60


class Place:
    """The place of an open socket among its player's sockets, oldest first."""

    def __init__(self, places: list[Place], scope: Scope, send: Send) -> None:
        self._places, self._send = places, send
        self._address = (scope["path"], scope["query_string"])
        self._closer: asyncio.Future[None] | None = None
        places.append(self)
        if len(places) > MAX_PER_PLAYER:
            (self._older() or places)[0]._give_up()  # noqa: SLF001

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message, unless the place has been given up."""
        if self._closer is None:
            await self._send(message)

    def replace_older(self) -> None:
        """Close the player's older sockets at the same address, now that this one shows what they did."""
        for place in self._older():
            place._give_up()  # noqa: SLF001

    def leave(self) -> None:
        """Free the place."""
        if self in self._places:
            self._places.remove(self)

    def _older(self) -> list[Place]:
        older = self._places[: self._places.index(self)] if self in self._places else []
        return [place for place in older if place._address == self._address]  # noqa: SLF001

    def _give_up(self) -> None:
        """Free the place at once; closing a dead connection may take long."""
        self.leave()
        self._closer = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        with suppress(OSError):  # the client has disconnected
            await self._send({"type": "websocket.close", "code": CLOSE_REPLACED})


class Ownership:
    """ASGI middleware that gives each socket its place, and closes visitors beyond the limit with `CLOSE_CROWDED`."""

    def __init__(self, application: Application, per_address: int = MAX_PER_ADDRESS) -> None:
        self._application = application
        self._per_address = per_address
        self._visitors: Counter[str] = Counter()
        self._players: dict[int, list[Place]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or turn it away."""
        serve = self._serve_player if scope["user"].is_authenticated else self._serve_visitor
        await serve(scope, receive, send)

    async def _serve_player(self, scope: Scope, receive: Receive, send: Send) -> None:
        player_id: int = scope["user"].pk
        places = self._players.setdefault(player_id, [])
        place = Place(places, scope, send)
        try:
            await self._application({**scope, "replace_older": place.replace_older}, receive, place.send)
        finally:
            place.leave()
            if not self._players.get(player_id, True):
                del self._players[player_id]

    async def _serve_visitor(self, scope: Scope, receive: Receive, send: Send) -> None:
        network = addresses.network_of_scope(scope)
        shares = addresses.shares_of(network) if addresses.is_known(network) else {}
        if any(self._visitors[share] >= times * self._per_address for share, times in shares.items()):
            metrics.REFUSALS.labels("crowded").inc()
            await turn_away(receive, send, CLOSE_CROWDED)
            return
        self._visitors.update(shares.keys())
        try:
            await self._application(scope, receive, send)
        finally:
            for share in shares:
                self._visitors[share] -= 1
                if not self._visitors[share]:
                    del self._visitors[share]


async def turn_away(receive: Receive, send: Send, code: int) -> None:
    """Accept the connection, then close it with `code`: a browser only sees the code of an accepted connection."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})
