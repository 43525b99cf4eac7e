"""Clients of the socket protocols that check every frame."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from typing import Any, Self

import msgspec
from asgiref.testing import ApplicationCommunicator

from games.live import protocol
from games.live.play_consumer import PlayConsumer
from games.live.table_registry import LiveTables
from tests.games.changes import applied

PATIENCE = 30.0  # seconds, for a busy machine
#: The name of a card of either deck.
CARD = re.compile(r"\b(?:[A2-9TJQKPN][SHDCWP]|M\d+)\b")


class Closed(Exception):
    """The server closed the connection; `args[0]` is the code."""


class Connection:
    """A connection to a consumer; every frame must have exactly the fields of its protocol."""

    protocol: Any

    def __init__(self, consumer: Callable[[Any, Any], Any], user: Any, session: Any, **address: Any) -> None:
        scope = {"type": "websocket", "user": _Lazy(user), "session": session, "url_route": {"kwargs": address}}

        async def application(scope: Any, receive: Any, send: Any) -> None:
            await consumer(scope, send).run(receive)

        self._line = ApplicationCommunicator(application, scope)
        self._decoder = msgspec.json.Decoder(self.protocol.ServerMessage)
        self._begun = False
        self._left = False
        self.frames: list[str] = []

    async def connect(self) -> None:
        self._begun = True
        await self._line.send_input({"type": "websocket.connect"})
        assert (await self._line.receive_output(PATIENCE))["type"] == "websocket.accept"

    async def send(self, text: str) -> None:
        await self._line.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self._line.send_input({"type": "websocket.receive", "bytes": data})

    async def hear(self) -> dict[str, Any]:
        """Return the next message after applying it.

        :raises Closed: when the connection is closed instead.
        """
        output = await self._line.receive_output(PATIENCE)
        if output["type"] == "websocket.close":
            raise Closed(output["code"])
        text = output["text"]
        self.frames.append(text)
        assert json.loads(self.protocol.write(self._decoder.decode(text))) == json.loads(text)
        message: dict[str, Any] = json.loads(text)
        self._apply(message)
        return message

    async def is_silent(self, seconds: float = 0.05) -> bool:
        return bool(await self._line.receive_nothing(seconds))

    async def leave(self) -> None:
        if self._begun and not self._left:
            self._left = True
            if self._line.future.cancelled():
                return  # while waiting for a message; raising it again here would disturb pytest's teardown
            await self._line.send_input({"type": "websocket.disconnect", "code": 1000})
            await self._line.wait(PATIENCE)

    def _apply(self, message: dict[str, Any]) -> None:
        raise NotImplementedError


class Seat(Connection):
    """A connection to a table; `view`, `legal` and `n` reflect the server's messages."""

    protocol = protocol

    def __init__(self, tables: LiveTables, attempt: uuid.UUID, user: Any, session: Any = None) -> None:
        super().__init__(lambda scope, send: PlayConsumer(scope, send, tables), user, session, attempt=attempt)
        self.view: dict[str, Any] = {}
        self.legal: list[str] = []
        self.n = 0
        self.state = ""
        self.auto = False

    async def sit(self, have: int | None = None) -> dict[str, Any]:
        await self.connect()
        return await self.ask({"type": "hello", "v": 1, "have": have})

    async def opened(self) -> Self:
        """Sit down, and return the seat."""
        await self.sit()
        return self

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        await self.send(json.dumps(message))
        return await self.hear()

    async def move(self, token: str, n: int | None = None) -> dict[str, Any]:
        return await self.ask({"type": "move", "n": self.n + 1 if n is None else n, "token": token})

    async def hear_until(self, kind: str) -> dict[str, Any]:
        while (message := await self.hear())["type"] != kind:
            pass
        return message

    def has_more(self) -> bool:
        return not self._line.output_queue.empty()

    def _apply(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "view":
                self.view, self.n, self.state = message["view"], message["n"], message["state"]
            case "moved" if message["n"] == self.n + 1:
                self.view = applied(self.view, message["changes"])
                self.n = message["n"]
            case "ended" | "verdict" | "resumed":
                self.state = message["state"]
                return
            case _:
                return
        self.legal, self.auto = message["legal"], message["auto"]


class _Lazy:
    """Stand-in for the middleware's lazy user, which the consumer unwraps."""

    def __init__(self, user: Any) -> None:
        self._wrapped = user

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)
