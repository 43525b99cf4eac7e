"""Connection limits: open WebSockets per address and per player.

An idle connection still costs memory and a session lookup. Each process counts its own connections, so with several
processes the effective limit is that many times higher.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from ipaddress import ip_address
from typing import Any, Final

from games import addresses, metrics
from games.live.protocol import CLOSE_CROWDED

#: A household or a class behind one address.
MOST_OF_ADDRESS: Final = 60
#: One player's tabs and devices.
MOST_OF_PLAYER: Final = 12

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]


class Capped:
    """ASGI middleware that admits at most `most` connections per origin and closes the others with `CLOSE_CROWDED`."""

    def __init__(self, application: Application, origin_of: Callable[[Scope], Hashable | None], most: int) -> None:
        self._application = application
        self._origin_of = origin_of
        self._most = most
        self._open: Counter[Hashable] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or turn it away."""
        origin = self._origin_of(scope)
        if origin is None:
            await self._application(scope, receive, send)
            return
        if self._open[origin] >= self._most:
            metrics.REFUSALS.labels("crowded").inc()
            await turn_away(receive, send, CLOSE_CROWDED)
            return
        self._open[origin] += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._open[origin] -= 1
            if not self._open[origin]:
                del self._open[origin]


def address_of(scope: Scope) -> Hashable | None:
    """Return the connection's network; None if unknown or loopback, where a proxy may hide the client addresses."""
    network = addresses.network_of_scope(scope)
    if network == addresses.UNKNOWN:
        return None
    return None if ip_address(network.partition("/")[0]).is_loopback or network == "::/64" else network


def player_of(scope: Scope) -> Hashable | None:
    """Return the id of the player signed in to the connection's session; None for a visitor."""
    user = scope.get("user")
    return user.pk if user is not None and user.is_authenticated else None


async def turn_away(receive: Receive, send: Send, code: int) -> None:
    """Accept the connection, then close it with `code`: a browser only sees the code of an accepted connection."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})
