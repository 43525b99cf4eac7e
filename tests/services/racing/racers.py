"""Simulated racers: each is at the table from the countdown on, follows a plan, and uses whichever process answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.services.racing.watching import BROKEN, PATIENCE, PAUSE, Client, Watcher

End = Literal["won", "resigned", "closed"]


@dataclass(frozen=True)
class Plan:
    """A racer's plan: play these tokens, then end the game as `end` says. With `leaves`, disconnect without a word."""

    tokens: tuple[str, ...]
    end: End
    leaves: bool = False


@dataclass
class Gate:
    """Barrier for racers: before it opens, no racer plays more than `tokens` tokens or ends the game."""

    tokens: int
    opened: asyncio.Event = field(default_factory=asyncio.Event)


#: Seconds between two moves of a fast human player.
FAST = (0.25, 0.55)


class GoneError(Exception):
    """The racer has left for good."""


class Racer:
    """A racer with the room in one tab and the table in another."""

    def __init__(self, room: Watcher, table: Client, plan: Plan, gate: Gate, pace: tuple[float, float] = FAST) -> None:
        self.room, self.table = room, table
        self.plan, self._gate, self._pace = plan, gate, pace
        self._choose = random.Random(f"racer {room.number}")
        self.attempt = ""
        self.acknowledged: dict[int, tuple[str, int]] = {}
        self.n = 0
        self.is_waiting = False
        self.ended = ""

    def lose_connection(self, seconds: float) -> None:
        """Lose the connections to the room and the table for some seconds."""
        self.room.lose_connection(seconds)
        self.table.lose_connection(seconds)

    async def race(self) -> None:
        """Race from the call to the table until the game is over or the racer leaves for good."""
        await self.room.say({"type": "sync"}, lambda: self.room.you.get("table"))
        self.attempt = self.room.you["table"].rstrip("/").rsplit("/", 1)[1]
        while not self.ended:
            with contextlib.suppress(*BROKEN):
                async with self.table.connected(f"/ws/play/{self.attempt}/") as socket:
                    try:
                        await self._play(socket)
                    except GoneError:
                        return
            await asyncio.sleep(PAUSE)

    async def _play(self, socket: ClientConnection) -> None:
        await socket.send(json.dumps({"type": "hello", "v": 1, "have": None}))
        while (await self._hear(socket))["type"] != "view":
            pass
        while not self.ended and self.n < len(self.plan.tokens):
            if self.n >= self._gate.tokens:
                await self._gate.opened.wait()
            await asyncio.sleep(self._choose.uniform(*self._pace))
            await self._move(socket, self.n + 1)
        await self._gate.opened.wait()
        if self.plan.leaves:
            raise GoneError
        if self.plan.end == "resigned" and not self.ended:
            await self._say(socket, {"type": "resign", "n": self.n + 1}, lambda: self.ended)
        while not self.ended:
            await self._hear(socket, within=600)

    async def _move(self, socket: ClientConnection, n: int) -> None:
        move = {"type": "move", "n": n, "token": self.plan.tokens[n - 1]}
        await self._say(socket, move, lambda: self.n >= n)

    async def _say(self, socket: ClientConnection, message: dict[str, Any], done: Callable[[], object]) -> None:
        """Send a message and read answers until `done`; a temporary refusal starts over with a new connection."""
        await socket.send(json.dumps(message))
        while not done():
            answer = await self._hear(socket)
            if answer["type"] == "error" and not self.ended:
                raise ConnectionAbortedError(answer["code"])

    async def _hear(self, socket: ClientConnection, within: float = PATIENCE) -> dict[str, Any]:
        message = self.table.heard(str(await asyncio.wait_for(socket.recv(), within)))
        match message["type"]:
            case "waiting":
                self.is_waiting = True
            case "view":
                if not max(self.acknowledged, default=0) <= message["n"] <= self.n + 1:
                    self.table.complaints.append(f"a view of {message['n']} tokens, and {self.n} were acknowledged")
                self.n = message["n"]
            case "moved":
                self.n = message["n"]
                self.acknowledged[self.n] = message["token"], message["ms"]
            case "ended":
                self.ended = message["how"]
            case "error" if message["code"] not in ("server_busy", "rate_limited", "stale", "closed"):
                self.table.complaints.append(f"refused: {message}")
        return message


async def peeps(peeper: Racer, other: Racer) -> str:
    """Return the answer that a racer gets at another racer's table."""
    try:
        async with peeper.table.connected(f"/ws/play/{other.attempt}/") as socket:
            await socket.send(json.dumps({"type": "hello", "v": 1, "have": None}))
            answer: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
            return str(answer.get("code", answer["type"]))
    except ConnectionClosed as error:
        return str(error)
