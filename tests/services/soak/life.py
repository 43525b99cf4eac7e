"""A simulated person's browser and network: they are lost, cut, put to sleep and hidden about once a minute."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final, Protocol

from websockets.asyncio.client import ClientConnection

from tests.ordinary_life.relay import Relay
from tests.services.sockets import connected

#: The address behind which everybody plays, as in a school. Those of this machine are unknown to limits.
ADDRESS: Final = "203.0.113.7"
#: What happens to a person, and for how many seconds.
MISFORTUNES: Final = {
    "network lost": (0.5, 8.0),
    "network cut": (0.0, 4.0),
    "network held": (0.5, 5.0),
    "asleep": (2.0, 25.0),
    "hidden": (2.0, 15.0),
}
#: Average seconds between two of them.
MISFORTUNE_EVERY: Final = 60.0
#: Seconds without an answer after which a page gives up a connection: on waking, and otherwise.
WAKING, PATIENCE = 2.0, 10.0
#: Seconds in which a page opens a connection again, and in which a person is back once their network is.
RETRY, BACK_WITHIN = (0.1, 0.5), 3.0


class Weather(Protocol):
    """The state of the servers, which may be down themselves."""

    @property
    def is_fair(self) -> bool:
        """True if all of them run, and have done so for some time."""


class Person:
    """The browser of one player: a session, a network of its own behind the shared address, and its open sockets."""

    def __init__(self, number: int, seed: int, *, ports: list[int], weather: Weather, tally: Counter[str]) -> None:
        self.number = number
        self._choose = random.Random(f"life {seed} {number}")
        self._ports = itertools.cycle(ports[number % len(ports) :] + ports[: number % len(ports)])
        self._weather, self._tally = weather, tally
        self._relay = Relay(0, forwarded_for=ADDRESS)
        self._open: dict[ClientConnection, float] = {}
        """When each open socket was last heard."""
        self._awake, self._in_view = asyncio.Event(), asyncio.Event()
        self._awake.set()
        self._in_view.set()
        self._back_at: float | None = None
        self._dead: set[ClientConnection] = set()
        self._opening: set[asyncio.Task[ClientConnection]] = set()
        self._pings: set[asyncio.Task[None]] = set()
        self.follows = 0
        """Number of tables and rooms that the person wants to be connected to."""
        self.complaints: list[str] = []

    def online(self) -> contextlib.AbstractContextManager[object]:
        """Return the person's network, to be entered."""
        return self._relay

    @contextlib.asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """Let the person live: the misfortunes come until the end."""
        with self.online():
            task = asyncio.create_task(self._live())
            try:
                yield
            finally:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    @contextlib.asynccontextmanager
    async def connected(self, path: str, session: str) -> AsyncIterator[ClientConnection]:
        """Open a connection, each time to the next process, when awake."""
        await self._awake.wait()
        socket = await self._opened(path, session)
        self._tally["connections"] += 1
        self._open[socket] = -math.inf
        try:
            async with socket:
                yield socket
        finally:
            self._open.pop(socket, None)
            self._dead.discard(socket)

    async def _opened(self, path: str, session: str) -> ClientConnection:
        self._relay.server_port = next(self._ports)
        opening = asyncio.ensure_future(_open(self._relay.port, path, session))
        self._opening.add(opening)
        try:
            return await opening
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                opening.cancel()
                raise
            raise ConnectionAbortedError("a page that wakes opens another connection") from None
        finally:
            self._opening.discard(opening)

    async def hear(self, socket: ClientConnection) -> str:
        """Return the next message, and ping when there is none; awake people only.

        :raises TimeoutError: if the connection is dead.
        """
        for _ in range(2):
            text = ""
            with contextlib.suppress(TimeoutError):
                # Not `wait_for`, which may lose a cancellation.
                async with asyncio.timeout(PATIENCE / 2):
                    text = str(await socket.recv())
            if text:
                await self._awake.wait()
                if socket not in self._dead:
                    self._open[socket] = time.monotonic()
                    self._back_at = None
                return text
            await socket.send('{"type": "ping", "t": 0}')
        raise TimeoutError("no answer to a ping")

    async def in_view(self) -> None:
        """Wait until the person sees the page. Hidden pages take messages, and answer them."""
        await self._in_view.wait()

    async def retry(self) -> None:
        """Wait as a page does before it opens a connection again."""
        await asyncio.sleep(self._choose.uniform(*RETRY))
        await self._awake.wait()

    @property
    def is_away(self) -> bool:
        """True if the network is back and the person has not heard from the server since."""
        return self._back_at is not None and self.follows > 0

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(self._choose.uniform(0.3, 1.7) * MISFORTUNE_EVERY)
            kind = self._choose.choice(list(MISFORTUNES))
            seconds = self._choose.uniform(*MISFORTUNES[kind])
            await self.suffer(kind, seconds)
            await self._check_return()

    async def suffer(self, kind: str, seconds: float) -> None:
        """Suffer one of the misfortunes for some seconds."""
        self._begin(kind)
        self._tally[kind] += 1
        await asyncio.sleep(seconds)
        self._recover()

    def _begin(self, kind: str) -> None:
        match kind:
            case "network lost":
                self._relay.swallow()
            case "network cut":
                self._relay.refuse()
                self._relay.cut()
            case "network held":
                self._relay.hold()
            case "asleep":
                self._relay.swallow()
                self._awake.clear()
                self._in_view.clear()
            case "hidden":
                self._in_view.clear()
        if kind in ("network lost", "asleep"):
            self._dead |= self._open.keys()

    def _recover(self) -> None:
        self._relay.restore()
        self._awake.set()
        self._in_view.set()
        self._back_at = time.monotonic()
        for opening in self._opening:
            opening.cancel()
        for socket in self._open:
            asyncio.get_running_loop().call_later(WAKING, self._give_up, socket, self._back_at)
            if self._open[socket] > -math.inf:  # it has been greeted
                self._pings.add(ping := asyncio.create_task(_ping(socket)))
                ping.add_done_callback(self._pings.discard)

    def _give_up(self, socket: ClientConnection, since: float) -> None:
        if self._open.get(socket, since) < since:
            socket.transport.abort()

    async def _check_return(self) -> None:
        """Complain if the person does not hear from the server within seconds in which the server is well."""
        left = BACK_WITHIN
        while self.is_away and left > 0:
            await asyncio.sleep(0.1)
            left -= 0.1 if self._weather.is_fair else 0
        if self.is_away:
            self.complaints.append(f"person {self.number}: locked out for more than {BACK_WITHIN} s")
            self._back_at = None


async def _open(port: int, path: str, session: str) -> ClientConnection:
    return await connected(port, path, session, within=PATIENCE)


async def _ping(socket: ClientConnection) -> None:
    with contextlib.suppress(Exception):
        await socket.send(json.dumps({"type": "ping", "t": 0}))
