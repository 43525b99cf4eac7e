"""A stand-in for Discord's webhooks on this machine, and hosts who may set a webhook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from accounts.models import User
from games.races.models import Room, RoomWebhook
from games.races.webhooks import room_webhooks
from tests.games.races.runs import T0, Run
from tests.players import account

TOKEN: Final = "c2VjcmV0-dG9rZW4_b2YtYS13ZWJob29r-wXyZ"
URL: Final = f"https://discord.com/api/webhooks/112233445566778899/{TOKEN}"


class Discord:
    """A service that answers each message with the next of `statuses`, and then with 204."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.posted: list[tuple[str, Any]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.posted.append((self.path, body))
                self.send_response(service.statuses.pop(0) if service.statuses else 204)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def connect(self, host: str) -> HTTPConnection:
        assert host == "discord.com"
        return HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)


@contextmanager
def discord_running() -> Iterator[Discord]:
    service = Discord()
    with service.server as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield service
        server.shutdown()


def host_named(name: str = "Ariadne") -> User:
    """Return an account that may set a webhook."""
    return account(name, date_joined=T0 - timedelta(days=2))


def set_by(host: User, room: Room, url: str = URL, language: str = "en-gb") -> RoomWebhook:
    room_webhooks.set_webhook(room.pk, host, url, language, now=T0)
    return RoomWebhook.objects.get(room=room)


def finished_run(*players: User, language: str = "en-gb", **settings: Any) -> Run:
    """Return a finished race in a room with a webhook: the first player, who is the host, has won."""
    run = Run.racing(len(players), players=players, **settings)
    set_by(players[0], run.room, language=language)
    run.play(0)
    for place in range(1, len(players)):
        run.resign(place, 20)
    return run.judge()
