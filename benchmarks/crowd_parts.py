"""Other processes of `benchmarks.crowd`: the players' rows, the players, and the page views.

It is no benchmark itself. The load processes get their job as JSON in the first line of input; at each further line
they print their results since the last one, and they end with their input.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from benchmarks.pages_parts import Visitor
from benchmarks.play_parts import Wire, frame
from games.rules import CATALOGUE

if TYPE_CHECKING:
    from games.models import Attempt

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

#: Seconds between two moves, and before the first.
PACE: Final = (2.0, 6.0)
#: Tokens already played in the first games, because a crowd does not start all games at once.
PLAYED: Final = (0, 180)
#: Number of moves after which a player gives up.
PATIENCE: Final = (20, 200)
#: Probabilities of an undo, and of giving up when no move helps.
TAKES_BACK: Final = 0.08
GIVES_UP: Final = 0.5
#: Probability that the next game is one of today's, while some are left.
PLAYS_TODAYS: Final = 0.7
#: Players who arrive per second at the start.
ARRIVALS: Final = 60.0
#: Seconds between two pings of a client, as in docs/protocol.md, and the timeout of all answers.
PING: Final = 15.0
PATIENT: Final = 30.0
#: Secret in a player's CSRF cookie, which a form may send unmasked.
SECRET: Final = "c" * 32
#: Number of errors reported in full.
TOLD: Final = 20

PAGES: Final = {
    "home": 6,
    "start page": 4,
    "table": 2,
    "boards": 2,
    "board of a deal": 2,
    "rules": 2,
    "archive": 1,
    "day of the archive": 1,
    "profile": 2,
}
"""The pages to view, with their weights."""
#: A third have no session; the others, guests and accounts in equal parts, also play.
STRANGERS: Final = 1 / 3


def prepare(count: int) -> None:
    """Create as many guests as accounts, each with a session and a half-played game of today; print their data.

    Prints the day, each player's attempt and session key, and the public ids of the accounts.
    """
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.utils import timezone

    from accounts.models import User
    from accounts.sign_in.guests import BACKEND, create_guest
    from benchmarks.play_parts import make_deals
    from games.attempts.lifecycle import start_attempt

    call_command("migrate", verbosity=0)
    if settings.COLLECTED_STATIC:
        call_command("collectstatic", interactive=False, verbosity=0)
    today, players, accounts = make_deals(), [], []
    for number in range(count):
        user = create_guest() if number // 2 % 2 else User.objects.create_user(f"player {number}")
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = BACKEND
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        attempt = start_attempt(user, today[number % len(today)])
        play_on(attempt)
        players.append([str(attempt.public_id), session.session_key])
        accounts += [] if user.is_guest else [str(user.public_id)]
    print(json.dumps({"day": timezone.now().date().isoformat(), "players": players, "accounts": accounts}))


def play_on(attempt: Attempt) -> None:
    """Write random moves of a game to the journal."""
    from games.attempts.lifecycle import deal_table
    from games.models import Move

    table, played = deal_table(attempt.deal), list[str]()
    for _ in range(random.randint(*PLAYED)):
        if not (legal := table.legal_moves()):
            break
        played.append(random.choice(legal))
        table.push(played[-1])
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(played, 1))


class Job(msgspec.Struct):
    """Job of a load process. `web` and `tables` are ports; `views` is pages per second."""

    web: int
    tables: int
    day: str
    players: list[tuple[str, str]]
    accounts: list[str]
    views: float = 0.0


@dataclass
class Tally:
    """Results since the last report. Times are in microseconds."""

    times: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    """Lag of this process's own event loop, the part of `times` that the server did not cause."""
    counts: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    told: list[str] = field(default_factory=list)

    def count(self, what: str) -> None:
        """Count an event."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def error(self, text: str) -> None:
        """Count an error."""
        self.errors += 1
        if len(self.told) < TOLD:
            self.told.append(text[:300])

    def took(self, since: float) -> None:
        """Record the time of an answer since this `time.perf_counter()`."""
        self.times.append(round((time.perf_counter() - since) * 1e6))

    def tell(self) -> None:
        """Print everything, and reset."""
        print(json.dumps(vars(self)), flush=True)
        self.times, self.late, self.counts, self.errors, self.told = [], [], {}, 0, []


async def report(tally: Tally, commands: asyncio.StreamReader) -> None:
    """Report at each line of input; return at its end."""
    watching = asyncio.create_task(watch_loop(tally))
    while await commands.readline():
        tally.tell()
    watching.cancel()


async def watch_loop(tally: Tally) -> None:
    """Record the lag of the event loop, fifty times a second."""
    while True:
        due = time.perf_counter() + 0.02
        await asyncio.sleep(0.02)
        tally.late.append(round((time.perf_counter() - due) * 1e6))


class Told(msgspec.Struct):
    """The fields of a message that a player needs."""

    type: str
    n: int = 0
    legal: list[str] = []
    stuck: bool = False
    code: str = ""


decode = msgspec.json.Decoder(Told).decode


class LostError(Exception):
    """The table's socket was closed or refused, or has reported an error."""


class Socket(Wire):
    """The connection to a table."""

    def __init__(self, tally: Tally, port: int, path: str, cookies: str, address: str) -> None:
        super().__init__(port, path, cookies, f"X-Forwarded-For: {address}\r\n")
        self.tally = tally
        self.sent_at = 0.0
        self.awaited = ""
        self.answer: asyncio.Future[Told] | None = None
        self.ended = False
        self.leaving = False
        self.accepted = asyncio.get_running_loop().create_future()

    def opened(self) -> None:
        self.accepted.set_result(None)

    def failed(self, reason: str) -> None:
        if self.leaving:
            return
        self.leaving = True
        for waiting in (self.accepted, self.answer):
            if waiting is not None and not waiting.done():
                waiting.set_exception(LostError(reason))
                return
        self.tally.error(reason)

    def connection_lost(self, _reason: Exception | None) -> None:
        self.failed("the connection was lost")

    def received(self, payload: bytes) -> None:
        told = decode(payload)
        if told.type == self.awaited and self.answer is not None and not self.answer.done():
            if told.type == "moved":
                self.tally.took(self.sent_at)
            self.answer.set_result(told)
        elif told.type == "error":
            self.failed(payload.decode())
        elif told.type == "verdict":
            self.tally.count("verdicts")
        self.ended |= told.type == "ended"

    async def ask(self, message: dict[str, Any], answer: str) -> Told:
        """Send a message and wait for its answer of this type.

        :raises LostError: if none can come.
        """
        if self.leaving:
            raise LostError("the connection was lost before")
        self.awaited, self.answer = answer, asyncio.get_running_loop().create_future()
        text = frame(json.dumps(message))
        self.sent_at = time.perf_counter()
        self.transport.write(text)
        async with asyncio.timeout(PATIENT):
            return await self.answer

    def say(self, message: dict[str, Any]) -> None:
        """Send a message without waiting for an answer."""
        if not self.leaving:
            self.transport.write(frame(json.dumps(message)))

    def leave(self) -> None:
        """Close like a browser that leaves the page."""
        self.leaving = True
        if not self.transport.is_closing():
            self.transport.write(b"\x88\x82\0\0\0\0\x03\xe8")
            self.transport.close()


class Player:
    """A player of one game after another, at a human pace and at random, with a socket for each."""

    def __init__(self, job: Job, tally: Tally, number: int) -> None:
        attempt, session = job.players[number]
        self.tally, self.visitor = tally, visitor(job, number)
        self.visitor.cookies |= {"sessionid": session, "csrftoken": SECRET}
        self.visitor.path = f"/table/{attempt}/"
        names = list(CATALOGUE)
        names.remove(names[number % len(names)])  # that of the first game
        self.left = random.sample(names, len(names))
        self.dealt = asyncio.Event()
        """Set once the first table is open."""

    async def play(self, delay: float) -> None:
        """Play until the process ends."""
        await asyncio.sleep(delay)
        while True:
            try:
                await self.game()
                await pause()
                await self.begin()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is told
                self.tally.error(f"{self.visitor.path}: {error!r}")
                await pause()

    async def begin(self) -> None:
        """Start another of today's games, or practice."""
        if self.left and random.random() < PLAYS_TODAYS:
            await self.visitor.start(f"/play/{self.left.pop()}/start")
        else:
            await self.visitor.start("/practice/start", name=random.choice(list(CATALOGUE)))
        if not self.visitor.path.startswith("/table/"):
            raise LostError(f"no game, but {self.visitor.path}")
        self.tally.count("games begun")

    async def game(self) -> None:
        """Open the table and play until the game is over or given up."""
        await self.visitor.table()
        await self.visitor.close()
        opening = msgspec.convert(self.visitor.opening, Told)
        socket = await self.connect()
        pinging = asyncio.create_task(ping(socket))
        try:
            await socket.ask({"type": "hello", "v": 1, "have": opening.n}, "resumed")
            self.dealt.set()
            await self.moves(socket, opening)
        finally:
            pinging.cancel()
            socket.leave()

    async def connect(self) -> Socket:
        """Open the table's socket."""
        found = self.visitor
        cookies = "; ".join(f"{name}={value}" for name, value in found.cookies.items())
        path = f"/ws/play/{found.path.strip('/').rpartition('/')[2]}/"
        socket = Socket(self.tally, found.tables, path, cookies, found.address)
        await asyncio.get_running_loop().create_connection(lambda: socket, "127.0.0.1", found.tables)
        async with asyncio.timeout(PATIENT):
            await socket.accepted
        return socket

    async def moves(self, socket: Socket, opening: Told) -> None:
        """Play until the game is over or given up."""
        last, token = opening, "u"
        for _ in range(random.randint(1 if opening.n else PATIENCE[0], PATIENCE[1])):
            await pause()
            if socket.ended or (last.stuck and random.random() < GIVES_UP):
                break
            goes_back = token != "u" and random.random() < TAKES_BACK
            token = "u" if goes_back or not last.legal else random.choice(last.legal)
            last = await socket.ask({"type": "move", "n": last.n + 1, "token": token}, "moved")
        if not socket.ended:
            await socket.ask({"type": "resign", "n": last.n + 1}, "ended")
        self.tally.count("games over")
        await pause()  # while the verdict arrives


async def pause() -> None:
    await asyncio.sleep(random.uniform(*PACE))


async def ping(socket: Socket) -> None:
    """Ping like the site's client."""
    await asyncio.sleep(random.uniform(0, PING))
    while True:
        socket.say({"type": "ping", "t": 1})
        await asyncio.sleep(PING)


def visitor(job: Job, address: int) -> Visitor:
    """Return a browser with its own address."""
    shown = f"10.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"
    return Visitor(job.web, shown, tables=job.tables)


async def play(job: Job, commands: asyncio.StreamReader) -> None:
    """Run all players; print a line once all are at their tables."""
    from config.processes.server import tune_collector

    tally = Tally()
    players = [Player(job, tally, number) for number in range(len(job.players))]
    playing = [asyncio.create_task(player.play(n / ARRIVALS)) for n, player in enumerate(players)]
    async with asyncio.timeout(len(players) / ARRIVALS + 120):
        await asyncio.gather(*(player.dealt.wait() for player in players))
    tune_collector()
    tally.tell()
    await report(tally, commands)
    del playing


async def look(job: Job, commands: asyncio.StreamReader) -> None:
    """View pages at fixed times, independently of earlier ones; print a line once each has been seen once.

    A new process loads templates and opens connections, which is not to be measured.
    """
    tally = Tally()
    for what, is_stranger in itertools.product(PAGES, (True, False)):
        await view(tally, *page(job, 0, what, is_stranger=is_stranger))
    tally.times.clear()
    tally.counts.clear()
    tally.tell()
    looking = asyncio.create_task(views(job, tally))
    await report(tally, commands)
    looking.cancel()


async def views(job: Job, tally: Tally) -> None:
    """Start the views at their times."""
    under_way: set[asyncio.Task[None]] = set()
    begun = time.perf_counter()
    for number in range(sys.maxsize):
        await asyncio.sleep(max(0.0, begun + number / job.views - time.perf_counter()))
        what = random.choices(list(PAGES), weights=list(PAGES.values()))[0]
        looks = page(job, number, what, is_stranger=random.random() < STRANGERS)
        task = asyncio.create_task(view(tally, *looks))
        under_way.add(task)
        task.add_done_callback(under_way.discard)


async def view(tally: Tally, found: Visitor, path: str) -> None:
    """View one page over a new connection; any status but 2xx and 3xx is an error."""
    since = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENT):
            status, _, body = await found.ask("GET", path)
            tally.took(since)
            await found.close()
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        tally.error(f"{path}: {error!r}")
        return
    tally.count(f"{status // 100}xx")
    if not 200 <= status < 400:
        tally.error(f"{path}: {status} {body[:100]!r}")


def page(job: Job, number: int, what: str, *, is_stranger: bool) -> tuple[Visitor, str]:
    """Return the next visitor and the address of such a page; only its player views a table."""
    attempt, session = random.choice(job.players)
    found = visitor(job, len(job.players) + number)
    if what == "table" or not is_stranger:
        found.cookies |= {"sessionid": session, "csrftoken": SECRET}
    variant = random.choice(list(CATALOGUE))
    return found, {
        "home": "/",
        "start page": f"/play/{variant}/",
        "table": f"/table/{attempt}/",
        "boards": "/boards/",
        "board of a deal": f"/boards/{job.day}/{variant}/",
        "rules": f"/rules/{CATALOGUE[variant].game}/",
        "archive": "/deals/",
        "day of the archive": f"/deals/{job.day}/",
        "profile": f"/players/{random.choice(job.accounts)}/",
    }[what]


async def load(what: str) -> None:
    """Do the job given as input."""
    commands = asyncio.StreamReader(limit=1 << 24)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    job = msgspec.json.decode(await commands.readline(), type=Job)
    await (play if what == "play" else look)(job, commands)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", count]:
            prepare(int(count))
        case [("play" | "look") as what]:
            asyncio.run(load(what))
