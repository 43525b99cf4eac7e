"""A person's players in `benchmarks.cheating`: browsers that sign up, take seats and play on a running site."""

# ruff: noqa: ANN401 - messages are what they are
from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from websockets.asyncio.client import ClientConnection, connect

from accounts.models import User
from benchmarks.pages_parts import UnexpectedError, Visitor
from games.models import Attempt
from tests.games.fairplay.scripted import PASSWORD

ADDRESS: Final = "203.0.113.7"
#: Beginning of the names of all accounts that cheat.
CHEAT: Final = "cheat"
#: Most seconds for any wait.
PATIENCE: Final = 240.0

Line = Sequence[str]
Message = dict[str, Any]


class Table:
    """A table at which a player sits: the last number, the legal tokens, and whether the game is won."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.n = 0
        self.legal: list[str] = []
        self.is_won = False

    async def send(self, kind: str, **fields: Any) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))

    async def say(self, kind: str, **fields: Any) -> Message:
        """Send a message with the next number, and return its answer."""
        await self.send(kind, n=self.n + 1, **fields)
        return await self.hear("moved", "view", "error")

    async def hear(self, *kinds: str) -> Message:
        """Wait for a message of one of these kinds."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message: Message = json.loads(await self._socket.recv())
                if message["type"] in {"view", "moved"}:
                    self.n, self.legal = message["n"], message["legal"]
                    self.is_won = message["view" if message["type"] == "view" else "changes"]["won"]
                if message["type"] in kinds:
                    return message

    async def end(self) -> Message:
        """Resign unless the game is won, and return the verdict."""
        if not self.is_won:
            await self.send("resign", n=self.n + 1)
        return await self.hear("verdict")


class Member(Visitor):
    """One of a person's players, in a browser of their own."""

    #: Address of the site, and the ports of the pages and of the sockets.
    ports: tuple[int, int]

    def __init__(self, address: str = ADDRESS) -> None:
        super().__init__(self.ports[0], address, tables=self.ports[1])
        self.name = f"{CHEAT}{secrets.token_hex(6)}"

    @classmethod
    async def account(cls, address: str = ADDRESS) -> Member:
        """Sign up, begin a game of the day and resign it."""
        member = cls(address)
        await member.sign_up()
        await member.begin("plot")
        await member.play_line([], [])
        return member

    @property
    def place(self) -> str:
        """The attempt or room to which the site has sent the player."""
        return self.path.strip("/").rpartition("/")[2]

    @property
    def player(self) -> User:
        """The row of an account."""
        return User.objects.get(username=self.name)

    async def sign_up(self) -> None:
        """Make an account, or turn a guest into one."""
        await self.get(reverse("account_signup"))
        await self.start(reverse("account_signup"), username=self.name, password1=PASSWORD)

    async def begin(self, variant: str) -> str:
        """Begin a game of the day; return its attempt."""
        await self.get(f"/play/{variant}/")
        await self.start(f"/play/{variant}/start")
        return self.place

    async def enter(self, path: str, **fields: str) -> bool:
        """Take a seat; return whether that was allowed."""
        await self.get("/races/")
        form = urlencode({"csrfmiddlewaretoken": self.cookies["csrftoken"], **fields}).encode()
        status, headers, _ = await self.ask("POST", path, form)
        self.path = headers.get("location", "")
        return status == 302 and bool(self.cookies.get("sessionid"))

    def socket(self, path: str) -> connect:
        """Open a WebSocket in this browser. Frames that are not read wait without limit."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return connect(
            f"ws://127.0.0.1:{self.tables}{path}",
            additional_headers={"Cookie": cookies, "X-Forwarded-For": self.address},
            origin=f"http://127.0.0.1:{self.tables}",  # type: ignore[arg-type]
            compression=None,
            max_queue=None,
        )

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[Table]:
        """Sit at the player's table once the cards are dealt."""
        async with self.socket(f"/ws/play/{self.place}/") as socket:
            table = Table(socket)
            await table.send("hello", v=1)
            await table.hear("view")
            yield table

    async def play_line(self, tokens: Line, times: Sequence[int]) -> Message:
        """Play tokens at these times in ms, resign if they do not win, and return the verdict."""
        async with self.seat() as table:
            begun = time.monotonic()
            for token, ms in zip(tokens, times, strict=True):
                await asyncio.sleep(begun + ms / 1000 - time.monotonic())
                answer = await table.say("move", token=token)
                if answer["type"] == "error":
                    raise UnexpectedError(str(answer))
            return await table.end()

    async def race(self, play: Callable[[Table], Awaitable[Any]]) -> str:
        """Get ready in the room, play at the table, and return the attempt."""
        async with self.socket(f"/ws/race/{self.place}/") as room:
            await room.send('{"type":"hello","v":1}')
            await room.send('{"type":"ready","ready":true}')
            async with asyncio.timeout(PATIENCE):
                while not (you := json.loads(await room.recv())).get("table"):
                    pass
            self.path = you["table"]
            async with self.seat() as table:
                await play(table)
        return self.place

    async def delete(self) -> None:
        """Delete the guest or account that is at a table."""
        name = Attempt.objects.get(public_id=self.place).player.display_name
        await self.get(reverse("players:delete"))
        await self.start(reverse("players:delete"), name=name)


class Leaver(Member):
    """A guest who deletes itself at the table instead of playing."""

    async def race(self, _play: Callable[[Table], Awaitable[Any]]) -> str:
        return await super().race(lambda _table: self.delete())
