"""A race socket client that checks every frame and tracks the room."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import AnonymousUser

from games.races.live import protocol
from games.races.live.consumer import RaceConsumer
from games.races.live.room_hub import RoomHub
from tests.games.seats import PATIENCE, Closed, _Lazy

_decoder = msgspec.json.Decoder(protocol.ServerMessage)

Message = dict[str, Any]
Lane = tuple[int, int, int, str, bool, int | None, int | None]


class Viewer:
    """One connection; `room` and `you` reflect the server's messages."""

    def __init__(self, hub: RoomHub, code: str, user: Any = None) -> None:
        scope = {
            "type": "websocket",
            "user": _Lazy(AnonymousUser() if user is None else user),
            "session": None,
            "url_route": {"kwargs": {"code": code}},
        }

        async def application(scope: Any, receive: Any, send: Any) -> None:
            await RaceConsumer(scope, send, hub).run(receive)

        self._line = ApplicationCommunicator(application, scope)
        self._left = False
        self.frames: list[str] = []
        self.room: Message = {}
        self.you: Message = {}

    async def connect(self) -> None:
        await self._line.send_input({"type": "websocket.connect"})
        assert (await self._line.receive_output(PATIENCE))["type"] == "websocket.accept"

    async def say(self, kind: str, /, **fields: Any) -> None:
        await self.send(json.dumps({"type": kind, **fields}))

    async def send(self, text: str) -> None:
        await self._line.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self._line.send_input({"type": "websocket.receive", "bytes": data})

    async def refused(self, kind: str, /, **fields: Any) -> str:
        await self.say(kind, **fields)
        code: str = (await self.until("error"))["code"]
        return code

    async def hear(self) -> Message:
        """Return the next message after applying it.

        :raises Closed: when the connection is closed instead.
        """
        output = await self._line.receive_output(PATIENCE)
        if output["type"] == "websocket.close":
            raise Closed(output["code"])
        text = output["text"]
        self.frames.append(text)
        assert json.loads(protocol.write(_decoder.decode(text))) == json.loads(text)
        message: Message = json.loads(text)
        self._apply(message)
        return message

    async def until(self, kind: str, when: Callable[[Message], Any] = bool) -> Message:
        while (message := await self.hear())["type"] != kind or not when(message):
            pass
        return message

    async def until_room(self, when: Callable[[Viewer], Any]) -> None:
        """Read messages until the state of the room satisfies `when`."""
        while not when(self):
            await self.hear()

    async def is_silent(self, seconds: float = 0.05) -> bool:
        return bool(await self._line.receive_nothing(seconds))

    async def leave(self) -> None:
        if not self._left:
            self._left = True
            if self._line.future.cancelled():
                return
            await self._line.send_input({"type": "websocket.disconnect", "code": 1000})
            await self._line.wait(PATIENCE)

    def race(self, which: str) -> Message:
        found: Message = self.room.get(which) or {}
        return found

    def lanes(self, which: str = "running") -> dict[int, Lane]:
        return {lane[0]: tuple(lane) for lane in self.race(which).get("lanes", [])}

    def states(self, which: str) -> list[str]:
        return [lane[3] for lane in self.lanes(which).values()]

    def _apply(self, message: Message) -> None:
        match message["type"]:
            case "room":
                self.room = message
            case "you":
                self.you = message
            case "lanes":
                assert message["v"] == self.room["v"] + 1, "a gap in the versions"
                self.room["v"] = message["v"]
                news = {lane[0]: lane for lane in message["lanes"]}
                for which in ("to_come", "running", "last"):
                    race = self.race(which)
                    race["lanes"] = [news.get(lane[0], lane) for lane in race.get("lanes", [])]
