"""Connection limits: open WebSockets per address and per player.

An idle connection still costs memory and a session lookup. Each process counts its own connections, so with several
processes the effective limit is that many times higher.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core import addresses, metrics
from games.core.asgi_types import Application, Receive, Scope, Send
from games.live.protocol import CLOSE_CROWDED

#: A household or a class behind one address.
MAX_PER_ADDRESS: Final = 60
#: One player's tabs and devices.
MAX_PER_PLAYER: Final = 12

Origins = Mapping[Any, int]


class Capped:
    """ASGI middleware that admits at most `limit` connections per origin and closes the others with `CLOSE_CROWDED`.

    `origins_of` returns the connection's origins, each with the factor on `limit`; without any, it is always admitted.
    """

    def __init__(self, application: Application, origins_of: Callable[[Scope], Origins], limit: int) -> None:
        self._application = application
        self._origins_of = origins_of
        self._limit = limit
        self._open: Counter[Any] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or turn it away."""
        origins = self._origins_of(scope)
        if any(self._open[origin] >= times * self._limit for origin, times in origins.items()):
            metrics.REFUSALS.labels("crowded").inc()
            await turn_away(receive, send, CLOSE_CROWDED)
            return
        self._open.update(origins.keys())
        try:
            await self._application(scope, receive, send)
        finally:
            for origin in origins:
                self._open[origin] -= 1
                if not self._open[origin]:
                    del self._open[origin]


def networks_of(scope: Scope) -> Origins:
    """Return the connection's networks; none if the client's address is not known."""
    network = addresses.network_of_scope(scope)
    return addresses.shares_of(network) if addresses.is_known(network) else {}


def player_of(scope: Scope) -> Origins:
    """Return the id of the player signed in to the connection's session; none for a visitor."""
    user = scope.get("user")
    return {user.pk: 1} if user is not None and user.is_authenticated else {}


async def turn_away(receive: Receive, send: Send, code: int) -> None:
    """Accept the connection, then close it with `code`: a browser only sees the code of an accepted connection."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code})
