"""WebSockets as pages of the site open them, for tests and benchmarks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

WITHIN = 300.0  # s, upper limit of every wait; far less is needed unless the machine is busy
PATIENCE = 20.0  # s without an answer until the connection counts as dead
BROKEN = (ConnectionClosed, InvalidHandshake, InvalidMessage, OSError, TimeoutError)


async def until(what: Callable[[], object], *, within: float = WITHIN) -> None:
    latest = time.monotonic() + within
    while not what():
        if time.monotonic() > latest:
            raise TimeoutError(f"not within {within} s: {what}")
        await asyncio.sleep(0.05)


def connected(
    port: int, path: str, session: str = "", *, within: float = PATIENCE, address: str = "127.0.0.1"
) -> connect:
    """Open a WebSocket from this address as a page of the site would, signed in with a session or not."""
    return connect(
        f"ws://127.0.0.1:{port}{path}",
        additional_headers={"Cookie": f"sessionid={session}"} if session else None,
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        compression=None,
        open_timeout=within,
        local_addr=(address, 0),
    )
