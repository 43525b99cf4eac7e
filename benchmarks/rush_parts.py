"""Processes of `benchmarks.rush` besides the service's own: rows, players at their tables, and arriving players.

It is no benchmark itself, and does nothing if run without arguments.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import WebSocketException

from benchmarks.pages_parts import UnexpectedError, Visitor
from benchmarks.play_parts import Client, Run, decode, make_deals, seated, session_of

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

MOVES = 5
#: Seconds between two moves of players at their tables, and of thought between two steps of arriving players.
PACE = (0.5, 1.5)
THOUGHT = (1.0, 3.0)
#: Timeout of a browser, in seconds.
PATIENCE = 30.0
#: The queue's page, which asks again by itself (frontend/static/js/pages/queue.js).
QUEUE = "/queue/"
VARIANTS = ("stonewall", "braid")
NEW, RETURNING = "newcomer", "returning"
#: Visitors per process before the measurement; the first ones load modules and open connections.
WARM = 16


def prepare(playing: int, returning: int) -> None:
    """Migrate, collect the static files, deal the day, seat players and create accounts.

    Prints `playing`, attempt and session key of each, and `returning`, session keys.
    """
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.models import User

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    players = seated(playing, make_deals())
    names = (f"returning{number}" for number in range(returning))
    accounts = [session_of(User.objects.create_user(name, password=None, display_name=name)) for name in names]
    print(json.dumps({"playing": players, "returning": accounts}))


# --- Players at their tables ------------------------------------------------------------------------------------------


class Paced(Client):
    """A player at a table, who thinks before each move."""

    run: Playing
    is_over = False

    def received(self, payload: bytes) -> None:
        """Handle a message; a game may even be won by chance, and then has no more moves."""
        if decode(payload).type in {"ended", "verdict"}:
            self.is_over = True
        else:
            super().received(payload)

    def answered(self) -> None:
        """Record the time of the move, and make the next one after a pause."""
        self.run.waits.append((time.monotonic(), time.perf_counter() - self.sent_at))
        self.think()

    def think(self) -> None:
        """Move after a pause."""
        asyncio.get_running_loop().call_later(random.uniform(*PACE), self.send)

    def send(self) -> None:
        """Move, unless the game or the measurement is over."""
        if self.run.going and not self.is_over:
            super().send()


class Playing(Run):
    """All players at their tables."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.ports = job["ports"]
        super().__init__({"what": "play", "seconds": 0.0, "pid": 0, "port": self.ports[0], **job})
        self.waits: list[tuple[float, float]] = []
        """When each move was acknowledged (s, monotonic, the same in all processes), and its time (s)."""

    async def play(self) -> None:
        """Sit down, report ready, play until told to stop, and print the waits."""
        loop = asyncio.get_running_loop()
        ports = itertools.cycle(self.ports)
        everybody = [Paced(self, f"/ws/play/{attempt}/", session, plays=True) for attempt, session in self.players]
        for one in everybody:
            await loop.create_connection(lambda one=one: one, "127.0.0.1", next(ports))  # type: ignore[misc]
        async with asyncio.timeout(120):
            await self.all_ready.wait()
        self.going = True
        for one in everybody:
            one.think()
        await report_ready()
        self.going = False
        print(json.dumps(self.waits), flush=True)


# --- Arriving players -------------------------------------------------------------------------------------------------


@dataclass
class Found:
    """Results of the arriving players."""

    steps: dict[str, list[float]] = field(default_factory=dict)
    """Times of each step that was not queued, in s."""
    waits: list[float] = field(default_factory=list)
    """Total waiting time of each queued player, in s."""
    firsts: list[float] = field(default_factory=list)
    """Time of the first response to the form that starts the game, even if it leads to the queue, in s."""
    seated: list[float] = field(default_factory=list)
    """Time of each greeting at the table (s, monotonic)."""
    arrived: int = 0
    """Players who made the last move."""
    refused: Counter[str] = field(default_factory=Counter)
    """Why the others did not."""


class Arriving(Visitor):
    """A player on the way from the home page to the fifth move, who waits in the queue if there is one."""

    def __init__(
        self, ports: tuple[int, int], address: str, kind: str, found: Found, thought: tuple[float, float] = THOUGHT
    ) -> None:
        super().__init__(ports[0], address, tables=ports[1])
        self.kind, self.found, self.thought = kind, found, thought
        self.waited = 0.0

    async def come(self) -> None:
        """Go the whole way, and note how it went."""
        await self.count(self.go())
        await self.leave()

    async def count(self, way: Awaitable[None]) -> None:
        """Count a success, or the reason of a failure, after which the next request needs a new connection."""
        try:
            await way
            self.found.arrived += 1
        except (UnexpectedError, OSError, EOFError, WebSocketException) as error:  # a timeout is an OSError
            self.found.refused[f"{type(error).__name__}: {error}"[:160]] += 1
            await self.hang_up()

    async def leave(self) -> None:
        """Note how long all waiting took, and close the connection."""
        if self.waited:
            self.found.waits.append(self.waited)
        await self.hang_up()

    async def hang_up(self) -> None:
        """Close the connection."""
        with suppress(OSError):  # the server was quicker
            await self.close()
        self.streams = None

    async def go(self) -> None:
        """Go from step to step, with pauses for thought."""
        start = f"/play/{random.choice(VARIANTS)}/"
        await self.page("home", "/")
        await self.pause()
        await self.page("start page", start)
        await self.pause()
        await self.begin(start)
        with self.timed("table"):
            await self.table()
        await self.play(MOVES)

    async def page(self, step: str, path: str) -> None:
        """View a page; if the queue's page comes instead, wait and try again."""
        while True:
            begun = time.perf_counter()
            status, headers, body = await self.ask("GET", path)
            if status == 200:
                self.note(step, begun)
                return
            if status == 303:  # to the queue, or from there to the wanted page
                path = headers["location"]
            elif status == 503 and path.startswith(QUEUE):
                pause = float(headers["retry-after"]) * random.uniform(0.75, 1.25)
                await asyncio.sleep(pause)
                self.waited += pause
            else:
                raise UnexpectedError(f"{step}: {status} {body[:100]!r}")

    async def begin(self, start: str) -> None:
        """Submit the form that starts the game; if it redirects to its page, wait there and submit it again."""
        while True:
            form = f"csrfmiddlewaretoken={self.cookies['csrftoken']}".encode()
            begun = time.perf_counter()
            status, headers, body = await self.ask("POST", f"{start}start", form)
            if not self.waited:
                self.found.firsts.append(time.perf_counter() - begun)
            if status == 302:
                self.note("start", begun)
                self.path = headers["location"]
                return
            if status != 303:
                raise UnexpectedError(f"start: {status} {body[:100]!r}")
            await self.page("start page", headers["location"])
            await self.pause()

    async def pause(self) -> None:
        if self.kind:
            await asyncio.sleep(random.uniform(*self.thought))

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Record the time of a step."""
        begun = time.perf_counter()
        yield
        self.note(step, begun)

    def note(self, step: str, begun: float) -> None:
        """Record the time of a step."""
        if step == "hello":
            self.found.seated.append(time.monotonic())
        name = step if step in {"hello", "move"} else f"{step}, {self.kind}"
        self.found.steps.setdefault(name, []).append(time.perf_counter() - begun)

    async def ask(self, method: str, path: str, form: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """Send a request with a timeout."""
        async with asyncio.timeout(PATIENCE):
            return await super().ask(method, path, form)


class Crowd:
    """All arriving players of both web processes."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.ports, self.tables, self.seconds = job["ports"], job["tables"], job["seconds"]
        self.newcomers, self.sessions, self.thought = job["newcomers"], job["returning"], job["thought"]
        self.number, self.visitors = job["number"], 0

    async def arrive(self) -> None:
        """Warm up, report ready, arrive on command, and print the results."""
        warmed = Found()
        for _ in range(WARM * len(self.ports)):
            await self.visitor("", warmed).come()
        if warmed.refused:
            raise SystemExit(str(warmed.refused))
        await report_ready()
        found, begun = Found(), time.monotonic()
        visitors = [self.visitor(NEW, found) for _ in range(self.newcomers)]
        visitors += [self.visitor(RETURNING, found, session) for session in self.sessions]
        await asyncio.gather(*(self.come(one) for one in visitors))
        facts = {"begun": begun, "ended": time.monotonic(), **vars(found)}
        print(json.dumps(facts), flush=True)

    async def come(self, visitor: Arriving) -> None:
        """Arrive at a random moment."""
        await asyncio.sleep(random.uniform(0, self.seconds))
        await visitor.come()

    def visitor(self, kind: str, found: Found, session: str = "") -> Arriving:
        """Return a player with a new address that stays on one web process, as a connection does."""
        self.visitors += 1
        address = f"{10 + self.number}.{self.visitors >> 16 & 255}.{self.visitors >> 8 & 255}.{self.visitors & 255}"
        ports = self.ports[self.visitors % len(self.ports)], self.tables[self.visitors // 2 % len(self.tables)]
        visitor = Arriving(ports, address, kind, found, self.thought)
        if session:
            visitor.cookies["sessionid"] = session
        return visitor


async def report_ready() -> None:
    """Report ready, and wait for the command to continue."""
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", playing, returning]:
            prepare(int(playing), int(returning))
        case ["play"]:
            asyncio.run(Playing(json.loads(sys.stdin.readline())).play())
        case ["arrive"]:
            asyncio.run(Crowd(json.loads(sys.stdin.readline())).arrive())
