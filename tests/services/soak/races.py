"""Races during the soak: a race of the day in two divisions, then races of four, until the players stop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from websockets.asyncio.client import ClientConnection

from games.rules import CATALOGUE
from tests.rules.winning import winning_lines
from tests.services.soak.checking import Game
from tests.services.soak.life import Person
from tests.services.soak.tables import Plan, Table
from tests.services.sockets import BROKEN, until

RACERS: Final = 4
#: Racers of the race of the day: two divisions.
CROWD: Final = 18
COUNTDOWN: Final = {RACERS: 4, CROWD: 10}  # s
FIRST_NUMBER: Final = 20_000
#: What a table shows and a room never does: cards and tokens.
CARD: Final = re.compile(r'"[A2-9TJQK][SHDC]"')
SECRET_KEYS: Final = frozenset({"view", "piles", "legal", "token", "seed", "solution", "changes", "record"})


class Control(Protocol):
    """Interface of the stack's control process."""

    def ask_once(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command, or raise an AssertionError."""


@dataclass
class Room:
    """A racer's room: it says where the table is, and must say nothing that only a table may show."""

    person: Person
    session: str
    code: str
    secrets: frozenset[str]
    complaints: list[str]
    wants_seat: bool = False
    table: str = ""
    entrant: int | None = None
    shown: dict[str, Any] = field(default_factory=dict)
    """The room as last shown."""

    async def watch(self) -> None:
        """Follow the room, and the seat when it moves to another one, until cancelled."""
        self.person.follows += 1
        try:
            while True:
                with contextlib.suppress(*BROKEN):
                    async with self.person.connected(f"/ws/race/{self.code}/", self.session) as socket:
                        await self._visit(socket)
                await self.person.retry()
        finally:
            self.person.follows -= 1

    async def _visit(self, socket: ClientConnection) -> None:
        """Follow the room on this connection until the seat moves to another one."""
        await socket.send(json.dumps({"type": "hello", "v": 1}))
        if self.wants_seat and self.entrant is None:
            await socket.send(json.dumps({"type": "sit"}))
        code = self.code
        while self.code == code:
            message = self._take(await self.person.hear(socket))
            if message["type"] == "call":
                await socket.send(json.dumps({"type": "ping", "t": 0}))

    def _take(self, text: str) -> dict[str, Any]:
        """Note a message."""
        message: dict[str, Any] = json.loads(text)
        if CARD.search(text) or any(secret in text for secret in self.secrets) or SECRET_KEYS & set(_keys(message)):
            self.complaints.append(f"a room told {text[:200]}")
        match message["type"]:
            case "you":
                self.table = message.get("table") or self.table
                self.entrant = message["to_come"] or self.entrant
            case "room":
                self.shown = message
            case "moved":
                self.code = message["code"]
            case "error" if message["code"] not in ("server_busy", "rate_limited"):
                self.complaints.append(f"refused: {message}")
        return message


@dataclass
class Races:
    """Holds races; each deal is raced only once."""

    seed: int
    control: Control
    person: Callable[[int], Person]
    tally: Counter[str]
    games: list[Game]
    held: list[list[int]]
    """The races of each heat; those of the race of the day come first."""
    complaints: list[str]
    goes_on: Callable[[], bool]

    async def hold(self) -> None:
        """Hold races in sequence, until the players stop or there are no more deals."""
        choose = random.Random(f"races {self.seed}")
        deals = [(variant, *won) for variant in CATALOGUE for won in winning_lines(variant)]
        choose.shuffle(deals)
        for variant, seed, line in deals:
            if self.goes_on():
                with contextlib.suppress(AssertionError):  # the database is away: go on with another race
                    await self._hold(variant, seed, line, choose)

    async def _hold(self, variant: str, seed: bytes, line: tuple[str, ...], choose: random.Random) -> None:
        count = RACERS if self.held else CROWD
        found = await asyncio.to_thread(
            self.control.ask_once,
            "heat",
            variant=variant,
            seed=seed.hex(),
            count=count,
            seconds=COUNTDOWN[count],
        )
        self.held.append(found["races"])
        secrets = frozenset({seed.hex(), b64encode(seed).decode().rstrip("=")})
        first = FIRST_NUMBER + len(self.games)
        async with asyncio.TaskGroup() as racing:
            for number, session in enumerate(found["sessions"], first):
                plan = _plan(line, choose)
                racing.create_task(self._race(number, session, found["code"], plan, secrets))

    async def _race(self, number: int, session: str, code: str, plan: Plan, secrets: frozenset[str]) -> None:
        person = self.person(number)
        async with person.living():
            room = Room(person, session, code, secrets, self.complaints)
            watching = asyncio.create_task(room.watch())
            try:
                with contextlib.suppress(TimeoutError):  # the race is void
                    await until(lambda: room.table or not self.goes_on())
                if room.table:
                    game = Game(room.table.rstrip("/").rsplit("/", 1)[1])
                    self.games.append(game)
                    table = Table(
                        person, session, game, plan, random.Random(f"racer {self.seed} {number}"), secrets=secrets
                    )
                    await table.play(self.goes_on, self.tally)
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)


def _plan(line: tuple[str, ...], choose: random.Random) -> Plan:
    """Return a plan: most racers resign along the way, some win, and some go away until their time is up."""
    kind = choose.random()
    if kind < 0.25:
        return Plan(len(line), "won", line)
    part = line[: choose.randrange(5, 40)]
    return Plan(len(part), "resigned" if kind < 0.85 else "", part)


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
