"""Web processes and tables in production: division of requests, readiness, and a rolling restart that loses no move."""

from __future__ import annotations

import asyncio
import json
import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Final

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode
from websockets.sync.client import connect
from websockets.typing import Origin

from games.live.protocol import CLOSE_MISDIRECTED
from tests.services.sockets import connected, until
from tests.services.stack import Stack, status_of

pytestmark = [pytest.mark.services, pytest.mark.slow]

PLAYERS: Final = 24
#: Moves that each player sends ahead of the answers.
AHEAD: Final = 3
WITHIN: Final = 120.0  # seconds, enough for a busy machine


@dataclass
class Player:
    """A player who draws as fast as moves are acknowledged, sends some ahead, and reconnects like the site's client."""

    session: str
    attempt: str
    ports: list[int]
    port: int
    choose: random.Random
    acknowledged: dict[int, str] = field(default_factory=dict)
    last_n: int = 0
    """The number of the last token that the server reported."""
    unanswered: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    """Close codes of the connections."""
    swallowed: list[str] = field(default_factory=list)
    """Unreported changes and other surprises that a client would have to work out itself."""
    away: list[float] = field(default_factory=list)
    """Seconds from each close to the answer of the next process."""
    lost_at: float = 0.0
    stopping: bool = False

    async def play(self) -> None:
        while not self.stopping:
            try:
                async with connected(self.port, f"/ws/play/{self.attempt}/", self.session, within=WITHIN) as socket:
                    await self._greet(socket)
                    await self._visit(socket)
            except ConnectionClosed as closed:
                self.codes.append(closed.rcvd.code if closed.rcvd else CloseCode.ABNORMAL_CLOSURE)
                self.lost_at = self.lost_at or time.monotonic()
                await asyncio.sleep(self.choose.uniform(0, 0.5))
            except (OSError, InvalidHandshake):
                # Try the next process, as a proxy does.
                self.port = self.ports[1 - self.ports.index(self.port)]
                await asyncio.sleep(0.05)

    async def _greet(self, socket: ClientConnection) -> None:
        await socket.send(json.dumps({"type": "hello", "v": 1, "have": self.last_n or None}))
        while (message := await self._hear(socket))["type"] not in ("view", "resumed"):
            self.swallowed.append(f"{message} came before the greeting")
        if self.last_n and (message["type"], message["n"]) != ("resumed", self.last_n):
            self.swallowed.append(f"{message['type']} at {message['n']} for one who had {self.last_n}")
        self.last_n = message["n"]
        self.unanswered.clear()
        if self.lost_at:
            self.away.append(time.monotonic() - self.lost_at)
            self.lost_at = 0.0

    async def _visit(self, socket: ClientConnection) -> None:
        while not self.stopping or self.unanswered:
            while len(self.unanswered) < AHEAD and not self.stopping:
                n = self.last_n + len(self.unanswered) + 1
                with suppress(ConnectionClosed):  # answers sent before the close can still be read
                    await socket.send(json.dumps({"type": "move", "n": n, "token": "d" if n % 2 else "u"}))
                self.unanswered.append(n)
            message = await self._hear(socket)
            if message["type"] != "moved" or message["n"] != self.unanswered.pop(0):
                self.swallowed.append(f"{message} instead of a move's answer")
                continue
            self.last_n = message["n"]
            self.acknowledged[self.last_n] = message["token"]
            await asyncio.sleep(0.04)  # stay within the server's rate limit per player

    async def _hear(self, socket: ClientConnection) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), WITHIN))
        return message


def test_a_rolling_restart_loses_no_move(stack: Stack) -> None:
    deal = stack.ask("deal", variant="labyrinth", seed=token_hex(32))
    players = []
    for number in range(PLAYERS):
        seat = stack.ask("seat", deal=deal)
        port = stack.sockets[number % 2]
        players.append(Player(seat["session"], seat["attempt"], stack.sockets, port, random.Random(number)))
    asyncio.run(restart_each_among(players, stack))
    kept = {one["attempt"]: one["tokens"] for one in stack.ask("kept")}
    for player in players:
        assert player.swallowed == []
        assert {n: kept[player.attempt][n - 1] for n in player.acknowledged} == player.acknowledged
        assert len(kept[player.attempt]) == len(player.acknowledged), "every move was answered"
        assert player.away, "handed over at least once"
        assert set(player.codes) == {CloseCode.SERVICE_RESTART}
        # On an idle machine all are back within two seconds.
        assert max(player.away) < WITHIN


async def restart_each_among(players: list[Player], stack: Stack) -> None:
    """Restart both processes in turn while all play; every player makes some moves before each restart."""
    async with asyncio.TaskGroup() as playing:
        for player in players:
            playing.create_task(player.play())
        for index in range(2):
            await made_moves(players)
            await asyncio.to_thread(stack.tables.restart, index)
        await made_moves(players)
        for player in players:
            player.stopping = True


async def made_moves(players: list[Player]) -> None:
    aims = [player.last_n + 6 for player in players]
    await until(lambda: all(player.last_n >= aim for player, aim in zip(players, aims, strict=True)), within=WITHIN)


def test_webs_have_no_tables_and_tables_no_pages(stack: Stack) -> None:
    port = stack.ports[0]
    address, origin = f"ws://127.0.0.1:{port}/ws/lanes/1/", Origin(f"http://127.0.0.1:{port}")
    with connect(address, origin=origin, compression=None) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(60)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (CLOSE_MISDIRECTED, "misdirected")
    assert [status_of(stack.sockets[0], path) for path in ("/", "/healthz", "/readyz")] == [421, 200, 200]
