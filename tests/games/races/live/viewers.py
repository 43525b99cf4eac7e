"""A race socket client that checks every frame and tracks the room."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser

from games.races.live import protocol
from games.races.live.room_consumer import RaceConsumer
from games.races.live.room_hub import RoomHub
from tests.games.seats import Connection

Message = dict[str, Any]
Lane = tuple[int, int, int, str, bool, int | None, int | None]


class Viewer(Connection):
    """A connection to a room; `room` and `you` reflect the server's messages."""

    protocol = protocol

    def __init__(self, hub: RoomHub, code: str, user: Any = None) -> None:
        viewer = AnonymousUser() if user is None else user
        super().__init__(lambda scope, send: RaceConsumer(scope, send, hub), viewer, None, code=code)
        self.room: Message = {}
        self.you: Message = {}
        self.is_awake = False
        """Whether it answers the server's calls, as pages do."""

    async def say(self, kind: str, /, **fields: Any) -> None:
        await self.send(json.dumps({"type": kind, **fields}))

    async def refused(self, kind: str, /, **fields: Any) -> str:
        await self.say(kind, **fields)
        code: str = (await self.until("error"))["code"]
        return code

    async def until(self, kind: str, when: Callable[[Message], Any] = bool) -> Message:
        while (message := await self.hear())["type"] != kind or not when(message):
            pass
        return message

    async def until_room(self, when: Callable[[Viewer], Any]) -> None:
        """Read messages until the state of the room satisfies `when`."""
        while not when(self):
            await self.hear()

    async def hear(self) -> Message:
        message = await super().hear()
        if self.is_awake and message["type"] == "call":
            await self.say("ping", t=0)
        return message

    async def stay(self) -> None:
        """Read messages for as long as the page is awake."""
        while self.is_awake:
            await self.hear()

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
