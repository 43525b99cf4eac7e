"""Processes of `benchmarks.pages`: the day's deals, the server with the bare view, and a visitor.

It is no benchmark itself, and does nothing if run without arguments.
"""

# ruff: noqa: ANN401 - ASGI's messages are what they are
from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from urllib.parse import urlencode

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

_LANGUAGES = "en-GB,en;q=0.9"
_OPENING = re.compile(rb'<script id="opening" type="application/json">(.*?)</script>', re.DOTALL)


def prepare() -> None:
    """Migrate, deal the day and collect the static files; print the day."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.utils import timezone

    from benchmarks.play_parts import make_deals

    call_command("migrate", verbosity=0)
    if settings.COLLECTED_STATIC:
        call_command("collectstatic", interactive=False, verbosity=0)
    make_deals()
    print(json.dumps({"day": timezone.now().date().isoformat()}))


def serve() -> None:
    """Serve the site, and the bare view at /bare; print the port first."""
    import django

    django.setup()
    from django.core.handlers.asgi import ASGIHandler
    from django.http import HttpRequest, HttpResponse
    from django.test import override_settings

    from config.asgi import application
    from config.processes import server

    def view(_request: HttpRequest) -> HttpResponse:
        return HttpResponse("as little as a page can be", headers={"Content-Length": "26"})

    class Bare(ASGIHandler):
        """Django with a single view."""

        def resolve_request(self, _request: HttpRequest) -> Any:
            return view, (), {}

    with override_settings(MIDDLEWARE=[]):
        bare: Any = Bare()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        await (bare if scope["path"] == "/bare" else application)(scope, receive, send)

    listener = server.listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    server.serve(listener, application=both)


class UnexpectedError(Exception):
    """The server's answer was not the expected one."""


class Visitor:
    """A first-time browser: one connection, its cookies, and its table once there is one.

    Its sockets go to the port `tables` if tables are separate.
    """

    def __init__(self, port: int, address: str, *, tables: int | None = None) -> None:
        self.port, self.address, self.tables = port, address, tables or port
        self.cookies: dict[str, str] = {}
        self.path = ""
        self.opening: dict[str, Any] = {}
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> bytes:
        """Return the page as it was sent."""
        status, _, body = await self.ask("GET", path)
        if status != 200:
            raise UnexpectedError(f"{path}: {status} {body[:300]!r}")
        return body

    async def start(self, path: str, **fields: str) -> None:
        """Start a game, and store the address of its table."""
        form = urlencode({"csrfmiddlewaretoken": self.cookies["csrftoken"], **fields}).encode()
        status, headers, body = await self.ask("POST", path, form)
        if status != 302:
            raise UnexpectedError(f"{path}: {status} {body[:300]!r}")
        self.path = headers["location"]

    async def table(self) -> None:
        """Open the table's page."""
        import gzip

        page = gzip.decompress(await self.get(self.path))
        found = _OPENING.search(page)
        assert found is not None, "the table's page has the opening view"
        self.opening = json.loads(found[1])

    async def play(self, moves: int) -> None:
        """Say hello at the table, as its page does, and play this many moves."""
        from websockets.asyncio.client import connect

        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        attempt = self.path.strip("/").rpartition("/")[2]
        headers = {"Cookie": cookies, "X-Forwarded-For": self.address}
        origin: Any = f"http://127.0.0.1:{self.tables}"
        address = f"ws://127.0.0.1:{self.tables}/ws/play/{attempt}/"
        async with connect(address, additional_headers=headers, origin=origin, compression=None) as socket:

            async def say(message: dict[str, Any]) -> dict[str, Any]:
                await socket.send(json.dumps(message))
                reply: dict[str, Any] = json.loads(await socket.recv())
                return reply

            with self.timed("hello"):
                await say({"type": "hello", "v": 1, "have": self.opening["n"]})
            chosen = random.Random(attempt)
            n, legal = self.opening["n"], self.opening["legal"]
            for _ in range(moves):
                n += 1
                await self.pause()
                with self.timed("move"):
                    reply = await say({"type": "move", "n": n, "token": chosen.choice(legal) if legal else "u"})
                if reply["type"] != "moved":
                    raise UnexpectedError(str(reply)[:300])
                legal = reply["legal"]

    async def pause(self) -> None:
        """Wait before each move; this visitor does not."""

    def timed(self, _step: str) -> AbstractContextManager[None]:
        """Measure a step at the table; this visitor does not."""
        return nullcontext()

    async def ask(self, method: str, path: str, form: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """Send a request on the visitor's connection; return status, headers and body.

        Like a browser, it repeats the request on a new connection if the old one turns out to be closed.
        """
        streams = self.streams
        try:
            return await self._send(method, path, form)
        except (ConnectionError, asyncio.IncompleteReadError):
            if streams is None or streams is not self.streams:
                raise
        self.streams = None
        return await self._send(method, path, form)

    async def _send(self, method: str, path: str, form: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.streams is None or self.streams[0].at_eof():  # the server closes idle connections
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            f"Accept-Language: {_LANGUAGES}",
            "Accept-Encoding: gzip, deflate",
            f"X-Forwarded-For: {self.address}",
            *([f"Cookie: {cookies}"] if cookies else []),
        ]
        if method == "POST":
            headers += [
                f"Origin: http://127.0.0.1:{self.port}",
                "Content-Type: application/x-www-form-urlencoded",
                f"Content-Length: {len(form)}",
            ]
        writer.write("\r\n".join([*headers, "", ""]).encode() + form)
        return await self.answer(reader)

    async def answer(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
        """Read one answer, and store its cookies."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        headers: dict[str, str] = {}
        for line in lines[1:-2]:
            name, _, value = line.partition(": ")
            if name.lower() == "set-cookie":
                key, _, cookie = value.partition(";")[0].partition("=")
                self.cookies[key] = cookie
            headers[name.lower()] = value
        return int(lines[0].split()[1]), headers, await reader.readexactly(int(headers.get("content-length", "0")))

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            await self.streams[1].wait_closed()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare"]:
            prepare()
        case ["serve"]:
            serve()
