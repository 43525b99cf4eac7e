"""Simulated players: they play over real WebSockets, and reconnect and catch up as docs/protocol.md describes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tests.games.changes import applied
from tests.services.racing.watching import BROKEN, connected
from tests.services.soak.checking import Game

PATIENCE = 10.0  # s without an answer until the connection counts as dead
CLOSED_FOR_GOOD = range(4401, 4407)


@dataclass
class Seat:
    session: str
    attempt: str
    player: str


Begin = Callable[[int, str], Awaitable[Seat]]
"""Starts an attempt at the deal with a number, for the player with an id or, without one, for a new player."""
GAMES_EACH = 3


@dataclass
class Tally:
    games: list[Game] = field(default_factory=list)
    connections: int = 0
    busy: int = 0

    @property
    def tokens(self) -> int:
        return sum(len(game.acknowledged) for game in self.games)


class Over(Exception):
    """The game accepts no more messages."""


class Player:
    """Plays games in sequence until stopped, and becomes a new player every few deals."""

    def __init__(
        self, number: int, seed: int, *, ports: list[int], begin: Begin, tally: Tally, secrets: set[str]
    ) -> None:
        self._choose = random.Random(f"player {seed} {number}")
        self._ports, self._begin, self._tally, self._secrets = ports, begin, tally, secrets
        # Each player has its own address, as people do.
        self._address = f"127.1.{number // 200}.{number % 200 + 1}"
        self.stopping = False

    async def play(self) -> None:
        """Play until stopped; the current game is then left unfinished."""
        deal, who, games = 0, "", 0
        while not self.stopping:
            if games % GAMES_EACH == 0:
                deal, who = self._choose.randrange(1 << 30), ""
            seat = await self._begin(deal + games, who)
            who, games = seat.player, games + 1
            game = Game(seat.attempt, seat.player)
            self._tally.games.append(game)
            await self._play(seat, Table(game, self._choose, self._secrets))

    async def _play(self, seat: Seat, table: Table) -> None:
        length = self._choose.randrange(3, 60)
        resigns = self._choose.random() < 0.9
        while not self.stopping:
            try:
                port = self._choose.choice(self._ports)
                path = f"/ws/play/{seat.attempt}/"
                async with connected(port, path, seat.session, within=PATIENCE, address=self._address) as socket:
                    self._tally.connections += 1
                    with contextlib.suppress(Over):
                        await self._visit(Line(socket, table), table, length, resigns)
                    table.leave()
                    return
            except BROKEN:
                table.leave()
                if table.closed_with in CLOSED_FOR_GOOD:
                    table.game.complaints.append(f"the connection was closed with {table.closed_with}")
                    return
                await asyncio.sleep(self._choose.uniform(0.1, 0.5))

    async def _visit(self, line: Line, table: Table, length: int, resigns: bool) -> None:
        """Play on this connection until the game is over or the player leaves it for good."""
        await line.greet()
        while not self.stopping and table.n < length and table.legal:
            await asyncio.sleep(self._choose.uniform(0.2, 0.7))
            if self._choose.random() < 0.02:
                raise ConnectionAbortedError("the player's own network")
            self._tally.busy += await line.say({"type": "move", "n": table.n + 1, "token": table.token()})
        if self.stopping or not resigns:
            raise Over
        while not table.game.ended:
            self._tally.busy += await line.say({"type": "resign", "n": table.n + 1})
        async with asyncio.timeout(3):
            while not table.game.verdicts:
                await line.hear()


class Table:
    """Client-side state of a game, updated by each message."""

    def __init__(self, game: Game, choose: random.Random, secrets: set[str]) -> None:
        self.game, self._choose, self._secrets = game, choose, secrets
        self.n = 0
        self.view: dict[str, Any] | None = None
        self.legal: list[str] = []
        self.closed_with = 0

    def token(self) -> str:
        assert self.view is not None
        if self.view["can_undo"] and self._choose.random() < 0.05:
            return "u"
        return self._choose.choice(self.legal)

    def leave(self) -> None:
        """Record the current view when the connection is gone; sometimes forget it, like a reloaded page."""
        if self.view is not None:
            self.game.views.append((self.n, self.view))
        if self._choose.random() < 0.3:
            self.view = None

    def take(self, text: str) -> dict[str, Any]:
        if any(secret in text for secret in self._secrets):
            self.game.complaints.append(f"a seed was told: {text}")
        message: dict[str, Any] = json.loads(text)
        match message["type"]:
            case "view":
                self._take_view(message)
            case "moved":
                self._take_moved(message)
            case "resumed" if message["n"] != self.n:
                self.game.complaints.append(f"resumed at {message['n']}, and the client is at {self.n}")
            case "ended":
                self.game.ended = message["how"]
            case "verdict":
                self.game.verdicts.append(message)
        return message

    def _take_view(self, message: dict[str, Any]) -> None:
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


class Line:
    def __init__(self, socket: ClientConnection, table: Table) -> None:
        self._socket, self._table = socket, table

    async def greet(self) -> None:
        await self._hello()
        while (message := await self.hear())["type"] not in ("view", "resumed"):
            if await self._refused(message):
                await self._hello()
        if message["state"] != "playing":
            while not self._table.game.ended:
                await self.hear()
            raise Over

    async def _hello(self) -> None:
        have = self._table.n if self._table.view is not None else None
        await self._socket.send(json.dumps({"type": "hello", "v": 1, "have": have}))

    async def say(self, message: dict[str, Any]) -> bool:
        """Send a move or a resignation and read the answer; return whether the server was busy."""
        await self._socket.send(json.dumps(message))
        table = self._table
        before = table.n
        while table.n == before and not table.game.ended:
            answer = await self.hear()
            if answer["type"] == "moved" and answer["n"] > table.n:
                await self.greet()
            elif answer["type"] == "error" and answer["code"] == "stale":
                await self.greet()
                return False
            elif answer["type"] == "error":
                return await self._refused(answer)
        return False

    async def hear(self) -> dict[str, Any]:
        try:
            return self._table.take(str(await asyncio.wait_for(self._socket.recv(), PATIENCE)))
        except ConnectionClosed as error:
            self._table.closed_with = error.rcvd.code if error.rcvd is not None else 0
            raise

    async def _refused(self, message: dict[str, Any]) -> bool:
        if message["type"] != "error":
            return False
        if message["code"] == "closed":
            raise Over
        if message["code"] not in ("server_busy", "rate_limited"):
            self._table.game.complaints.append(f"refused: {message}")
            raise Over
        await asyncio.sleep(message["data"]["retry_after_ms"] / 1000)
        return True
