"""The proxy of `make stack`: `/ws/` goes to the tables, all else to the web processes, as in production.

It is for trying things out on one machine; `deploy/Caddyfile` is production's. A connection stays with the process that
its first request went to: browsers open one of its own for every WebSocket. A process that does not answer is passed
over.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Final

#: As large a head as the site takes (config/heads.py), and seconds for it to come.
HEAD_BYTES: Final = 16 * 1024
HEAD_WITHIN: Final = 10.0
_PIECE: Final = 64 * 1024
_BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_BAD_GATEWAY: Final = b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Front:
    """Brings each connection to a process of the right kind, one after the other."""

    def __init__(self, webs: Sequence[int], tables: Sequence[int]) -> None:
        self._webs = _Turns(webs)
        self._tables = _Turns(tables or webs)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        with contextlib.suppress(OSError, asyncio.CancelledError):  # either side has gone, or the proxy ends
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_WITHIN):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            writer.write(_BAD_REQUEST)
            return
        except (asyncio.IncompleteReadError, TimeoutError):
            return
        is_socket = re.match(rb"GET /ws/", head)
        found = await (self._tables if is_socket else self._webs).connect()
        if found is None:
            writer.write(_BAD_GATEWAY)
            return
        inner_reader, inner_writer = found
        inner_writer.write(head)
        await asyncio.gather(_pass_on(reader, inner_writer), _pass_on(inner_reader, writer))


class _Turns:
    """The processes of one kind, who take turns."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = ports
        self._next: Iterator[int] = itertools.count()

    async def connect(self) -> Streams | None:
        """A connection to the next that answers; None if none does."""
        first = next(self._next)
        for step in range(len(self._ports)):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", self._ports[(first + step) % len(self._ports)])
        return None


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until it ends, and then the end."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()


async def _run(host: str, port: int, front: Front) -> None:
    """Serve until a signal comes."""
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    try:
        server = await asyncio.start_server(front.serve, host, port, limit=HEAD_BYTES)
    except OSError as error:
        sys.exit(f"Cannot listen on {host}:{port}: {os.strerror(error.errno or 0)}. Choose another PORT.")
    await stopping.wait()
    server.close()


def main() -> None:
    """Serve as the arguments say."""
    parser = argparse.ArgumentParser(description="The proxy of `make stack`.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--webs", type=int, nargs="+", required=True, help="ports of the web processes")
    parser.add_argument("--tables", type=int, nargs="*", default=[], help="ports of the processes of tables, if any")
    options = parser.parse_args()
    asyncio.run(_run(options.host, options.port, Front(options.webs, options.tables)))


if __name__ == "__main__":
    main()
