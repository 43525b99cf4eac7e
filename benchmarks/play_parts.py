"""Processes of `benchmarks.play`: the players' rows, the server, the load generator.

It is no benchmark itself, and does nothing if run without arguments.
"""

# ruff: noqa: ANN401 - ASGI's messages and asyncio's transports are what they are
from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import struct
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.references import INSERT, make_table

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from accounts.models import User
    from games.models import Deal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def make_players(count: int) -> None:
    """Create players with sessions and an attempt each at today's deals; print [attempt, session key] of each."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make_table()
    print(json.dumps(seated(count, make_deals())))


def seated(count: int, today: list[Deal]) -> list[tuple[str, str]]:
    """Create guests with an attempt each at the deals; return attempt and session key of each."""
    from accounts.sign_in.guests import create_guest
    from games.attempts.lifecycle import start_attempt

    players = []
    for number in range(count):
        guest = create_guest()
        attempt = start_attempt(guest, today[number % len(today)])
        players.append((str(attempt.public_id), session_of(guest)))
    return players


def session_of(player: User) -> str:
    """Return the key of a new session in which a player is signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from accounts.sign_in.guests import BACKEND

    session = SessionStore()
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def make_deals() -> list[Deal]:
    """Deal each variant of the day, without certification."""
    from django.utils import timezone

    from games.models import Deal
    from games.rules import CATALOGUE, RULES_VERSION, commitment

    opens = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = []
    for variant in CATALOGUE.values():
        seed = os.urandom(32)
        deal = Deal(variant=variant.name, game=variant.game, options=dict(variant.options), seed=seed)
        deal.rules_version, deal.commitment, deal.day = RULES_VERSION, commitment(seed), opens.date()
        deal.opens_at, deal.closes_at = opens, opens + timedelta(days=1)
        deal.save()
        today.append(deal)
    return today


def serve(*, profile: bool) -> None:
    """Serve the site and the echo consumers; print the port first."""
    import django

    django.setup()
    from channels.consumer import AsyncConsumer
    from channels.exceptions import StopConsumer

    from config.asgi import application
    from config.processes import server

    class Plain(AsyncConsumer):
        """A minimal consumer."""

        async def websocket_connect(self, _message: Any) -> None:
            await self.send({"type": "websocket.accept"})

        async def websocket_receive(self, message: Any) -> None:
            await self.send({"type": "websocket.send", "text": message["text"]})

        async def websocket_disconnect(self, _message: Any) -> None:
            raise StopConsumer

    class Dispatched(Plain):
        """The same with the dispatch of the game's consumer."""

        async def dispatch(self, message: Any) -> None:
            if message["type"] == "websocket.receive":
                await self.websocket_receive(message)
            else:
                await super().dispatch(message)

    class Durable(Dispatched):
        """The same, and it commits one row before it answers."""

        async def websocket_receive(self, message: Any) -> None:
            await insert()
            await super().websocket_receive(message)

    insert = inserting()
    echoes = {"/plain": Plain.as_asgi(), "/echo": Dispatched.as_asgi(), "/durable": Durable.as_asgi()}

    async def both(scope: Any, receive: Any, send: Any) -> None:
        await echoes.get(scope.get("path"), application)(scope, receive, send)

    listener = server.listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    if profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.runcall(server.serve, listener, application=both)
        profiler.dump_stats("play.prof")
    else:
        server.serve(listener, application=both)


def inserting() -> Callable[[], Awaitable[None]]:
    """Return a function that commits one row: over a pool of connections, or in one thread for SQLite's one writer."""
    from django.db import connection as own

    if own.vendor == "sqlite":
        return inserting_in_thread()
    pool: list[Any] = []

    async def insert() -> None:
        if not pool:
            from django.conf import settings
            from psycopg_pool import AsyncConnectionPool

            pool.append(AsyncConnectionPool(settings.DATABASE_URL, max_size=24, open=False, timeout=60))
            await pool[0].open()
        async with pool[0].connection() as connection:
            await connection.execute(INSERT)

    return insert


def inserting_in_thread() -> Callable[[], Awaitable[None]]:
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    writer = ThreadPoolExecutor(1)

    def execute() -> None:
        with connection.cursor() as cursor:
            cursor.execute(INSERT)

    async def insert() -> None:
        await asyncio.get_running_loop().run_in_executor(writer, execute)

    return insert


#: Moves of a connection that are not undone. A won game takes no more, so random play must not win any.
MOST_STANDING = 12
WARM = 20
"""Connections before the memory of the others is measured."""


class Moved(msgspec.Struct):
    """The fields of the server's messages that a client needs."""

    type: str
    n: int = 0
    legal: list[str] = []


decode = msgspec.json.Decoder(Moved).decode


def frame(text: str) -> bytes:
    """Return a client's text frame; a zero mask leaves the text unchanged."""
    payload = text.encode()
    size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack(">H", len(payload))
    return b"\x81" + size + b"\0\0\0\0" + payload


class Wire(asyncio.Protocol):
    """A minimal WebSocket client: whole text frames, no fragments, no compression."""

    def __init__(self, port: int, path: str, cookies: str, headers: str = "") -> None:
        self.port, self.path, self.cookies, self.headers = port, path, cookies, headers
        self.buffer = bytearray()
        self.is_open = False

    def opened(self) -> None:
        """Called when the server has accepted."""

    def received(self, payload: bytes) -> None:
        """Called for each message."""

    def failed(self, reason: str) -> None:
        """Called when the server has refused or closed the connection."""
        raise SystemExit(reason)

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: http://127.0.0.1:{self.port}\r\nCookie: {self.cookies}\r\n{self.headers}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.is_open:
            head, found, rest = bytes(self.buffer).partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head[:20]:
                self.transport.close()
                self.failed(f"refused: {head[:100]!r}")
                return
            self.is_open, self.buffer = True, bytearray(rest)
            self.opened()
        while (payload := self.next_payload()) is not None:
            self.received(payload)

    def next_payload(self) -> bytes | None:
        buffer = self.buffer
        if len(buffer) < 2:
            return None
        opcode, size, start = buffer[0] & 15, buffer[1], 2
        if size == 126:
            if len(buffer) < 4:
                return None
            size, start = int.from_bytes(buffer[2:4], "big"), 4
        if len(buffer) < start + size:
            return None
        payload = bytes(buffer[start : start + size])
        del buffer[: start + size]
        if opcode == 9:
            self.transport.write(b"\x8a" + bytes([0x80 | size]) + b"\0\0\0\0" + payload)
            return self.next_payload()
        if opcode == 8:
            self.transport.close()
            self.failed(f"closed by the server: {payload!r}")
            return None
        return payload


class Client(Wire):
    """A player in a closed loop."""

    def __init__(self, run: Run, path: str, session: str, *, plays: bool) -> None:
        super().__init__(run.port, path, f"sessionid={session}")
        self.run, self.plays = run, plays
        self.random = random.Random(path)
        self.sent_at = 0.0
        self.standing = 0

    def connection_lost(self, _reason: Exception | None) -> None:
        self.run.lost()

    def opened(self) -> None:
        if self.plays:
            self.transport.write(frame('{"type":"hello","v":1}'))
        else:
            self.run.ready(self)

    def received(self, payload: bytes) -> None:
        if self.plays:
            message = decode(payload)
            if message.type == "view":
                self.last = message
                self.run.ready(self)
                return
            if message.type != "moved":
                raise SystemExit(payload.decode()[:300])
            self.last = message
        self.answered()

    def answered(self) -> None:
        """Record the time taken, and send the next message."""
        self.run.took(time.perf_counter() - self.sent_at)
        if self.run.going:
            self.send()

    def send(self) -> None:
        if self.plays:
            token = self.token()
            text = f'{{"type":"move","n":{self.last.n + 1},"token":"{token}"}}'
        else:
            text = '{"type":"move","n":123,"token":"t0-t10"}'
        self.sent_at = time.perf_counter()
        self.transport.write(frame(text))

    def token(self) -> str:
        """A random legal move, or an undo where there is none, and where a few dozen more might win the game."""
        legal = self.last.legal
        if not legal or self.standing >= MOST_STANDING:
            self.standing -= 1
            return "u"
        self.standing += 1
        return self.random.choice(legal)


class Run:
    """One measurement."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.what, self.seconds, self.port, self.pid = job["what"], job["seconds"], job["port"], job["pid"]
        self.players = job["players"]
        self.waiting: list[Client] = []
        self.times: list[float] = []
        self.going = False
        self.all_ready = asyncio.Event()

    def ready(self, client: Client) -> None:
        self.waiting.append(client)
        if len(self.waiting) == len(self.players):
            self.all_ready.set()

    def took(self, seconds: float) -> None:
        if self.going:
            self.times.append(seconds)

    def lost(self) -> None:
        if self.going:
            raise SystemExit("a connection was lost")

    async def measure(self) -> dict[str, float]:
        loop = asyncio.get_running_loop()
        plays = self.what in {"play", "idle"}
        before = 0
        for number, (attempt, session) in enumerate(self.players):
            if number == WARM and self.what == "idle":
                # The first connections load modules and open pools, which is not the cost of a socket.
                await asyncio.sleep(self.seconds)
                before = resident_kib(self.pid)
            path = f"/ws/play/{attempt}/" if plays else f"/{self.what}"
            client = Client(self, path, session, plays=plays)
            await loop.create_connection(lambda client=client: client, "127.0.0.1", self.port)  # type: ignore[misc]
        async with asyncio.timeout(120):
            await self.all_ready.wait()
        if self.what == "idle":
            await asyncio.sleep(self.seconds)
            return {"kib": (resident_kib(self.pid) - before) / (len(self.players) - WARM)}
        cpu = cpu_seconds(self.pid)
        self.going = True
        begun = time.perf_counter()
        for client in self.waiting:
            client.send()
        await asyncio.sleep(self.seconds)
        self.going = False
        took = time.perf_counter() - begun
        times = sorted(self.times)
        return {
            "rate": len(times) / took,
            "p50": times[len(times) // 2] * 1000,
            "p99": times[len(times) * 99 // 100] * 1000,
            "cpu": (cpu_seconds(self.pid) - cpu) / took,
        }


def resident_kib(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:  # noqa: PTH123
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load() -> None:
    """Read a job, do it, and print the results."""
    print(json.dumps(await Run(json.load(sys.stdin)).measure()))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["players", count]:
            make_players(int(count))
        case ["serve", *rest]:
            serve(profile="--profile" in rest)
        case ["load"]:
            asyncio.run(load())
