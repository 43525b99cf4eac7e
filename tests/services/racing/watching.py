"""Simulated room visitors: they watch, sit down and get ready, and reconnect when a process dies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

WITHIN = 300.0  # s, upper limit of every wait; far less is needed unless the machine is busy
PATIENCE = 20.0  # s without an answer until the connection counts as dead
PAUSE = 0.2  # s until a closed connection is opened again
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


class Client:
    """A browser: an address, a session or none, and the table processes to try in turn."""

    def __init__(self, number: int, ports: list[int], session: str = "") -> None:
        self.number = number
        self.address = f"127.3.{number // 200}.{number % 200 + 1}"
        self._ports = itertools.cycle(ports[number % len(ports) :] + ports[: number % len(ports)])
        self.session = session
        self._open: set[ClientConnection] = set()
        self._offline_until = 0.0
        self.port = 0
        """Port of the last process connected to."""
        self.frames: list[tuple[float, str]] = []
        """All received messages, with the wall-clock time."""
        self.complaints: list[str] = []

    @contextlib.asynccontextmanager
    async def connected(self, path: str) -> AsyncIterator[ClientConnection]:
        """Open a connection, each time to the next process, once the client is online."""
        await asyncio.sleep(self._offline_until - time.monotonic())
        self.port = next(self._ports)
        async with connected(self.port, path, self.session, address=self.address) as socket:
            self._open.add(socket)
            try:
                yield socket
            finally:
                self._open.discard(socket)

    def lose_connection(self, seconds: float) -> None:
        """Break all connections without a closing handshake, and stay offline for some seconds."""
        self._offline_until = time.monotonic() + seconds
        for socket in self._open:
            socket.transport.abort()

    def heard(self, text: str) -> dict[str, Any]:
        self.frames.append((time.time(), text))
        message: dict[str, Any] = json.loads(text)
        return message


class Watcher(Client):
    """A client with one room open while `watch` runs; it tracks the room, and follows its seat, as a page does."""

    def __init__(self, number: int, ports: list[int], code: str, session: str = "") -> None:
        super().__init__(number, ports, session)
        self.code = code
        self._socket: ClientConnection | None = None
        self.room: dict[str, Any] | None = None
        self.you: dict[str, Any] = {}
        self.connections = 0

    async def watch(self) -> None:
        while True:
            with contextlib.suppress(*BROKEN):
                async with self.connected(f"/ws/race/{self.code}/") as socket:
                    await socket.send(json.dumps({"type": "hello", "v": 1}))
                    self._socket = socket
                    self.connections += 1
                    async for text in socket:
                        await self._take(socket, self.heard(str(text)))
            self._socket = None
            await asyncio.sleep(PAUSE)

    async def say(self, message: dict[str, Any], done: Callable[[], object], *, within: float = WITHIN) -> None:
        """Send a message, and repeat it now and then until `done` returns a true value."""
        latest = time.monotonic() + within
        while not done():
            if time.monotonic() > latest:
                raise TimeoutError(f"{message} was not done within {within} s: {self.frames[-3:]}")
            if self._socket is not None:
                with contextlib.suppress(*BROKEN):
                    await self._socket.send(json.dumps(message))
            with contextlib.suppress(TimeoutError):
                await until(done, within=3)

    def race(self) -> dict[str, Any]:
        """Return the upcoming race, else the running one, else the last one."""
        room = self.room or {}
        return room.get("to_come") or room.get("running") or room.get("last") or {}

    def lane(self) -> list[Any]:
        """Return the client's own lane in the upcoming race."""
        race, own = self.race(), self.you.get("to_come")
        return next((lane for lane in race.get("lanes", ()) if lane[0] == own), [])

    async def _take(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        match message["type"]:
            case "room":
                self.room = message
            case "you":
                self.you = message
            case "lanes" if self.room is not None and message["v"] == self.room["v"] + 1:
                self.room["v"] = message["v"]
                self._follow({lane[0]: lane for lane in message["lanes"]})
            case "moved":
                self.code = message["code"]
                await socket.close()
            case "lanes":
                await socket.send(json.dumps({"type": "sync"}))
            case "error" if message["code"] not in ("server_busy", "rate_limited"):
                self.complaints.append(f"refused: {message}")

    def _follow(self, changed: dict[int, list[Any]]) -> None:
        assert self.room is not None
        for name in ("to_come", "running", "last"):
            if race := self.room[name]:
                race["lanes"] = [changed.get(lane[0], lane) for lane in race["lanes"]]
