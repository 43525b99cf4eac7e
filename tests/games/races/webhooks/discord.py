"""Local stand-in for Discord's webhooks, and rooms that post to it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final

from accounts.models import User
from games.races.models import Room, RoomWebhook
from games.races.webhooks import room_webhooks
from tests.factories import make_account
from tests.games.races.runs import T0, Run
from tests.posted import PostService

TOKEN: Final = "c2VjcmV0-dG9rZW4_b2YtYS13ZWJob29r-wXyZ"
URL: Final = f"https://discord.com/api/webhooks/112233445566778899/{TOKEN}"


class Discord(PostService):
    """A service that accepts messages, unless it has other `statuses` to answer."""

    def __init__(self) -> None:
        super().__init__("discord.com", 204)

    @property
    def posted(self) -> list[tuple[str, Any]]:
        return [(path, json.loads(body)) for path, _, body in self.requests]


def host_named(name: str = "Ariadne") -> User:
    """Return an account that may set a webhook."""
    return make_account(name, date_joined=T0 - timedelta(days=2))


def set_by(host: User, room: Room, url: str = URL, language: str = "en-gb") -> RoomWebhook:
    room_webhooks.set_webhook(room.pk, host, url, language, now=T0)
    return RoomWebhook.objects.get(room=room)


def finished_run(*players: User, language: str = "en-gb", **settings: Any) -> Run:
    """Return a finished race in a room with a webhook. The first player is the host and has won."""
    run = Run.racing(len(players), players=players, **settings)
    set_by(players[0], run.room, language=language)
    run.play(0)
    for place in range(1, len(players)):
        run.resign(place, 20)
    return run.judge()
