"""A person at a table: plays, reconnects and catches up as docs/protocol.md describes, and notes the messages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final, Literal

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.games.changes import applied
from tests.services.soak.checking import Game
from tests.services.soak.life import Person
from tests.services.sockets import BROKEN

#: Codes with which a server closes a connection of which it wants to hear no more; no honest player gets one.
FINAL_CODES: Final = set(range(4400, 4500)) - {4408}
TEMPORARY: Final = ("server_busy", "rate_limited")


class Over(Exception):
    """The game accepts no more messages."""


@dataclass(frozen=True)
class Plan:
    """What a player does: how many moves, at random or from a line, and how the game ends, if it is not left."""

    moves: int
    ends: Literal["won", "resigned", ""]
    line: tuple[str, ...] = ()
    pace: tuple[float, float] = (0.2, 0.7)


class Table:
    """A page with a game, updated by each message."""

    def __init__(
        self, person: Person, session: str, game: Game, plan: Plan, choose: random.Random, *, secrets: Collection[str]
    ) -> None:
        self._person, self._session = person, session
        self.game, self._plan, self._choose, self._secrets = game, plan, choose, secrets
        self.n = 0
        self.view: dict[str, Any] | None = None
        self.legal: list[str] = []

    async def play(self, goes_on: Callable[[], bool], tally: Counter[str]) -> None:
        """Play by the plan over as many connections as it takes, until the game is over or the player stops."""
        self._person.follows += 1
        try:
            while goes_on():
                try:
                    async with self._person.connected(f"/ws/play/{self.game.attempt}/", self._session) as socket:
                        await self._visit(socket, goes_on, tally)
                except Over:
                    return
                except BROKEN as error:
                    self._leave()
                    if isinstance(error, ConnectionClosed) and error.rcvd and error.rcvd.code in FINAL_CODES:
                        self.game.complaints.append(f"the connection was closed with {error.rcvd.code}")
                        return
                    await self._person.retry()
        finally:
            self._leave()
            self._person.follows -= 1

    async def _visit(self, socket: ClientConnection, goes_on: Callable[[], bool], tally: Counter[str]) -> None:
        """Play on this connection until the game is over or the player leaves it for good."""
        await self._greet(socket)
        while goes_on() and self.n < self._plan.moves and self.legal:
            await asyncio.sleep(self._choose.uniform(*self._plan.pace))
            await self._person.in_view()
            tally["busy"] += await self._say(socket, {"type": "move", "n": self.n + 1, "token": self._token()})
        if not goes_on() or not self._plan.ends:
            raise Over
        while self._plan.ends == "resigned" and not self.game.ended:
            tally["busy"] += await self._say(socket, {"type": "resign", "n": self.n + 1})
        while not self.game.ended:
            await self._hear(socket)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(3):
                while not self.game.verdicts:
                    await self._hear(socket)
        raise Over

    def _token(self) -> str:
        assert self.view is not None
        if self._plan.line:
            return self._plan.line[self.n]
        if self.view["can_undo"] and self._choose.random() < 0.05:
            return "u"
        return self._choose.choice(self.legal)

    def _leave(self) -> None:
        """Record the current view when the connection is gone; sometimes forget it, like a reloaded page."""
        if self.view is not None:
            self.game.views.append((self.n, self.view))
        if self._choose.random() < 0.3:
            self.view = None

    # --- Messages ---------------------------------------------------------------------------------------------------

    async def _greet(self, socket: ClientConnection) -> None:
        await self._hello(socket)
        while (message := await self._hear(socket))["type"] not in ("view", "resumed"):
            if await self._refused(message):
                await self._hello(socket)
        if message["state"] != "playing":
            while not self.game.ended:
                await self._hear(socket)
            raise Over

    async def _hello(self, socket: ClientConnection) -> None:
        have = self.n if self.view is not None else None
        await socket.send(json.dumps({"type": "hello", "v": 1, "have": have}))

    async def _say(self, socket: ClientConnection, message: dict[str, Any]) -> bool:
        """Send a move or a resignation and read the answer; return whether the server was busy."""
        await socket.send(json.dumps(message))
        before = self.n
        while self.n == before and not self.game.ended:
            answer = await self._hear(socket)
            if answer["type"] == "moved" and answer["n"] > self.n:
                await self._greet(socket)
            elif answer["type"] == "error" and answer["code"] == "stale":
                await self._greet(socket)
                return False
            elif answer["type"] == "error":
                return await self._refused(answer)
        return False

    async def _refused(self, message: dict[str, Any]) -> bool:
        if message["type"] != "error":
            return False
        # A countdown that was called off is not found; the race is void.
        if message["code"] == "closed" or (message["code"] == "not_found" and not self.game.dealt_at):
            raise Over
        if message["code"] not in TEMPORARY:
            self.game.complaints.append(f"refused: {message}")
            raise Over
        await asyncio.sleep(message["data"]["retry_after_ms"] / 1000)
        return True

    async def _hear(self, socket: ClientConnection) -> dict[str, Any]:
        return self.take(await self._person.hear(socket))

    def take(self, text: str) -> dict[str, Any]:
        """Note a message, and complain about what must not be told."""
        game = self.game
        if any(secret in text for secret in self._secrets):
            game.complaints.append(f"a seed was told: {text[:200]}")
        message: dict[str, Any] = json.loads(text)
        if message.get("attempt", game.attempt) != game.attempt:
            game.complaints.append(f"another's table was shown: {text[:200]}")
        match message["type"]:
            case "view":
                self._take_view(message)
            case "moved":
                self._take_moved(message)
            case "resumed" if message["n"] != self.n:
                game.complaints.append(f"resumed at {message['n']}, and the client is at {self.n}")
            case "ended":
                game.ended = message["how"]
            case "verdict":
                game.verdicts.append(message)
        return message

    def _take_view(self, message: dict[str, Any]) -> None:
        self.game.dealt_at = self.game.dealt_at or time.time()
        known = max(self.game.acknowledged, default=0)
        if message["n"] < known:
            self.game.complaints.append(f"a view of {message['n']} tokens after {known} were acknowledged")
        self.n, self.view, self.legal = message["n"], message["view"], message["legal"]

    def _take_moved(self, message: dict[str, Any]) -> None:
        n, told = message["n"], (message["token"], message["ms"])
        if self.game.acknowledged.setdefault(n, told) != told:
            self.game.complaints.append(f"token {n} was told as {self.game.acknowledged[n]} and as {told}")
        if self.view is not None and n == self.n + 1:
            self.n, self.view, self.legal = n, applied(self.view, message["changes"]), message["legal"]
