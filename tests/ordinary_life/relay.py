"""A network between clients and a server that tests can lose, slow down, hold up and cut.

    with Relay(server_port) as relay:
        page.goto(relay.url)
        relay.swallow()  # the network is gone; nobody hears of it
        relay.restore()  # it is back for new connections; the old ones stay dead

All relays run on the event loop of one background thread; every method may be called from any thread, and from async
code. Bytes are never reordered.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from functools import cache
from threading import Thread
from typing import Self, TypeVar

T = TypeVar("T")

CHUNK = 65536
REQUESTS = (b"GET ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"HEAD ", b"OPTIONS ")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="relays", daemon=True).start()
    return loop


class _Connection:
    """One connection of a client; it keeps the way in which it was lost."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self.ends = [client]
        self.swallows_up = self.swallows_down = False

    def reset(self) -> None:
        """Close both ends with a TCP reset."""
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.transport.abort()


class Relay:
    """Listens on a loopback address and passes every connection on to a server.

    `host` may be any 127.x.y.z, from which the relay also connects to the server, so that many relays are many
    loopback addresses. With `forwarded_for`, requests carry that client address, as from a trusted proxy: give many
    relays the same one, such as 203.0.113.7, for many people behind one address that is not the machine's own.
    """

    def __init__(self, server_port: int, *, host: str = "127.0.0.1", forwarded_for: str = "") -> None:
        self.server_port = server_port
        """May be changed; used by connections to come."""
        self.host = host
        self.port = 0
        self.delay = 0.0
        """Seconds by which each chunk is late, in both directions."""
        self._forwarded = f"X-Forwarded-For: {forwarded_for}\r\n".encode() if forwarded_for else b""
        self._connections: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._swallows_up = self._swallows_down = False
        self._refusals = 0.0
        self._flows = asyncio.Event()
        self._flows.set()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def __enter__(self) -> Self:
        asyncio.run_coroutine_threadsafe(self._open(), _loop()).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), _loop()).result()

    # --- Misfortunes ------------------------------------------------------------------------------------------------

    def swallow(self, *, up: bool = True, down: bool = True) -> None:
        """Lose all bytes towards the server (`up`), towards the clients (`down`), or both, without closing anything.

        Holds for present connections for good, as for a phone that changes networks, and for new ones until `restore`.
        """

        def swallow() -> None:
            self._swallows_up, self._swallows_down = up, down
            for one in self._connections:
                one.swallows_up |= up
                one.swallows_down |= down

        self._do(swallow)

    def hold(self) -> None:
        """Stop all bytes, and let them arrive after `restore`, as where the same network returns."""
        self._do(self._flows.clear)

    def cut(self, *, only_dead: bool = False) -> None:
        """Reset every present connection, or only those that lost bytes. New ones are served."""

        def cut() -> None:
            for one in self._connections:
                if not only_dead or one.swallows_up or one.swallows_down:
                    one.reset()

        self._do(cut)

    def refuse(self, times: float = float("inf")) -> None:
        """Reset new connections, all or a number of them, until `restore`."""
        self._refusals = times

    def restore(self) -> None:
        """Serve new connections, and deliver what was held. Connections that lost bytes stay dead."""

        def restore() -> None:
            self.delay = self._refusals = 0
            self._swallows_up = self._swallows_down = False
            self._flows.set()

        self._do(restore)

    # --- Relaying ---------------------------------------------------------------------------------------------------

    def _do(self, what: Callable[[], T]) -> T:
        async def do() -> T:
            return what()

        return asyncio.run_coroutine_threadsafe(do(), _loop()).result()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._accept, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        for one in self._connections:
            one.reset()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, from_client: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connection = _Connection(client)
        self._tasks.add(task)
        self._connections.add(connection)
        try:
            await self._serve(connection, from_client, client)
        except (OSError, asyncio.CancelledError):
            connection.reset()
        finally:
            self._tasks.discard(task)
            self._connections.discard(connection)

    async def _serve(
        self, connection: _Connection, from_client: asyncio.StreamReader, client: asyncio.StreamWriter
    ) -> None:
        if self._refusals > 0:
            self._refusals -= 1
            connection.reset()
            return
        connection.swallows_up, connection.swallows_down = self._swallows_up, self._swallows_down
        if connection.swallows_up and connection.swallows_down:
            while await from_client.read(CHUNK):
                pass
            client.close()
            return
        await self._flows.wait()
        from_server, server = await asyncio.open_connection(
            "127.0.0.1", self.server_port, local_addr=(self.host, 0) if self.host != "127.0.0.1" else None
        )
        connection.ends.append(server)
        await asyncio.gather(
            self._pass(connection, from_client, server, upwards=True),
            self._pass(connection, from_server, client, upwards=False),
        )
        client.close()
        server.close()

    async def _pass(
        self, connection: _Connection, source: asyncio.StreamReader, to: asyncio.StreamWriter, *, upwards: bool
    ) -> None:
        while True:
            data = await source.read(CHUNK)
            if self.delay:
                await asyncio.sleep(self.delay)
            await self._flows.wait()
            is_lost = connection.swallows_up if upwards else connection.swallows_down
            if not data:
                if not is_lost:  # else the other end does not hear of it
                    to.close()
                return
            if is_lost:
                continue
            if upwards and self._forwarded and data.startswith(REQUESTS):
                line, _, rest = data.partition(b"\r\n")
                data = line + b"\r\n" + self._forwarded + rest
            to.write(data)
            await to.drain()
