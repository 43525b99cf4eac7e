"""How many WebSockets a process keeps open for one address and for one player.

An idle connection costs memory and a session's reading. The counts are a process's own: with several, each lets in as
many.
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
    """Lets in at most so many connections of one origin at a time, and closes others with a code that says so."""

    def __init__(self, application: Application, origin_of: Callable[[Scope], Hashable | None], most: int) -> None:
        self._application = application
        self._origin_of = origin_of
        self._most = most
        self._open: Counter[Hashable] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
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
    """Where a connection comes from; None for this machine, where a proxy that tells no addresses may be."""
    network = addresses.network_of_scope(scope)
    if network == addresses.UNKNOWN:
        return None
    return None if ip_address(network.partition("/")[0]).is_loopback or network == "::/64" else network


def player_of(scope: Scope) -> Hashable | None:
    """Whose connection it is, as the session says; None for a visitor."""
    user = scope.get("user")
    return user.pk if user is not None and user.is_authenticated else None


async def turn_away(receive: Receive, send: Send, code: int) -> None:
    """Accept, or a browser would not be told the code, and close."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})
