"""Visitors of `benchmarks.capacity --measure`, and the sockets of their tables, boards and rooms."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.capacity_site import Site
from benchmarks.pages_parts import UnexpectedError, Visitor
from games.rules import CATALOGUE

AT_ONCE = 4
PING_EVERY = 4.0  # s, as in the client
THOUGHT = (1.0, 3.0)  # s
VARIANTS = tuple(CATALOGUE)


class Guest(Visitor):
    """A visitor whose received bytes are counted."""

    def __init__(self, site: Site, number: int, session: str = "") -> None:
        super().__init__(site.port, f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}")
        self.site, self.variant = site, VARIANTS[number % len(VARIANTS)]
        if session:
            self.cookies["sessionid"] = session

    async def answer(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = await super().answer(reader)
        self.site.sent += len(body) + sum(len(name) + len(value) + 4 for name, value in headers.items())
        return status, headers, body

    def socket(self) -> Table:
        """Return the socket of the table last opened."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        attempt = self.path.strip("/").rpartition("/")[2]
        return Table(self.site, self.address, f"/ws/play/{attempt}/", cookies, self.opening)


class Socket:
    """A WebSocket whose received bytes are counted."""

    def __init__(self, site: Site, address: str, path: str, cookies: str = "") -> None:
        self.site, self.address, self.path, self.cookies = site, address, path, cookies
        self.line: ClientConnection | None = None

    async def open(self) -> None:
        heads = {"X-Forwarded-For": self.address} | ({"Cookie": self.cookies} if self.cookies else {})
        host = f"127.0.0.1:{self.site.port}"
        origin: Any = f"http://{host}"
        self.line = await connect(
            f"ws://{host}{self.path}",
            additional_headers=heads,
            origin=origin,
            compression=None,
            max_queue=None,
            open_timeout=60,
        )

    async def send(self, **message: object) -> None:
        assert self.line is not None
        await self.line.send(json.dumps(message))

    async def receive(self, *wanted: str) -> dict[str, Any]:
        """Return the next message of one of these types, and ignore others.

        :raises UnexpectedError: if an error is received.
        """
        assert self.line is not None
        while True:
            frame = await self.line.recv()
            self.site.sent += len(frame)
            told: dict[str, Any] = json.loads(frame)
            if told["type"] == "error":
                raise UnexpectedError(f"{self.path}: {told}")
            if told["type"] in wanted:
                return told

    async def listen(self) -> None:
        """Read frames until the socket is closed."""
        assert self.line is not None
        async for frame in self.line:
            self.site.sent += len(frame)

    async def close(self) -> None:
        if self.line is not None:
            await self.line.close()


class Table(Socket):
    """A player's socket at a table."""

    def __init__(self, site: Site, address: str, path: str, cookies: str, opening: dict[str, Any]) -> None:
        super().__init__(site, address, path, cookies)
        self.n: int = opening.get("n", 0)
        self.legal: list[str] = opening.get("legal", [])
        self.chosen = random.Random(path)
        self.is_over = False

    async def hello(self) -> None:
        """Connect and say hello; the page already has the view."""
        await self.open()
        await self.send(type="hello", v=1, have=self.n)
        await self.receive("resumed")

    async def sit(self) -> None:
        """Connect and say hello before the start of a race, and wait for the cards."""
        await self.open()
        await self.send(type="hello", v=1)
        told = await self.receive("view")
        self.n, self.legal = told["n"], told["legal"]

    async def move(self) -> None:
        """Make any legal move, or undo one if there is none."""
        if self.is_over or not (self.legal or self.n):
            return  # one deal of some thousands has no first move
        token = self.chosen.choice(self.legal) if self.legal else "u"
        await self.send(type="move", n=self.n + 1, token=token)
        told = await self.receive("moved", "ended")
        self.is_over = told["type"] == "ended"
        self.n, self.legal = told["n"], told.get("legal", [])

    async def play(self, moves: int, pace: float, offset: float) -> None:
        """Make moves at fixed times."""
        begun = time.monotonic() + offset
        for number in range(moves):
            await asyncio.sleep(max(0.0, begun + number * pace - time.monotonic()))
            await self.move()

    async def finish(self) -> None:
        """Resign, and wait for the verdict."""
        if not self.is_over:
            await self.send(type="resign", n=self.n + 1)
        await self.receive("verdict")

    async def ping(self, seconds: float, offset: float) -> None:
        """Ping as an idle client does."""
        begun = time.monotonic()
        for at in itertools.takewhile(lambda at: at < seconds, itertools.count(offset, PING_EVERY)):
            await asyncio.sleep(max(0.0, begun + at - time.monotonic()))
            await self.send(type="ping", t=1)
            await self.receive("pong")
        await asyncio.sleep(max(0.0, begun + seconds - time.monotonic()))


async def some_at_once(work: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    """Run all work, a few at once."""
    waiting = iter(work)

    async def take() -> None:
        for one in waiting:
            await one()

    await gathered([take() for _ in range(AT_ONCE)])


async def gathered(work: Sequence[Awaitable[Any]]) -> None:
    await asyncio.gather(*work)


async def thought() -> None:
    """Wait as a person looking at a page."""
    await asyncio.sleep(random.uniform(*THOUGHT))


async def late(work: Callable[[], Awaitable[Any]], seconds: float) -> None:
    """Run some work after a delay."""
    await asyncio.sleep(seconds)
    await work()


@asynccontextmanager
async def listening(sockets: Sequence[Socket], *, greet: bool = False) -> AsyncIterator[None]:
    """Open the sockets and read their frames."""
    for socket in sockets:
        await socket.open()
        if greet:
            await socket.send(type="hello", v=1)
    tasks = [asyncio.create_task(socket.listen()) for socket in sockets]
    await asyncio.sleep(1)
    try:
        yield
    finally:
        await gathered([socket.close() for socket in sockets])
        await asyncio.gather(*tasks, return_exceptions=True)
