"""CPU time of ten races against house racers at once, on a table process with its share of PostgreSQL and Redis.

`DATABASE_URL=postgres://… python -m benchmarks.house_load`; the exit code is 1 if the target is missed. It uses its own
database on that server and its own Redis. Ten players host a room each and have it open. After a reading of that, each
adds a house racer, of the three in turns, and they race at short games. The players have their tables open and make no
move, so the difference is the cost of the house racers: their games, which are computed during the countdown, and their
moves at a human pace, as the players see them.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final, Self

from websockets.asyncio.client import connect

from benchmarks.databases import server_url
from benchmarks.processes import POSTGRES, REDIS, TABLES, Costs, Shape, own_servers
from benchmarks.references import amount, announce

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RACES: Final = 10
#: Seconds of open rooms before the races, and of the races from their start.
IDLE_SECONDS, RACE_SECONDS = 30.0, 60.0
#: CPU time of ten races in percent of a core.
LOAD_AIM: Final = 5.0
PARTS: Final = (TABLES[0], POSTGRES, REDIS)


def main() -> int:
    url = server_url()
    if not url:
        return 0
    with ExitStack() as stack:
        environment = stack.enter_context(own_servers(url))
        announce(environment, "workers and beat")
        command = [sys.executable, "-m", "benchmarks.house_load", "prepare"]
        hosts = json.loads(subprocess.check_output(command, env=environment, text=True))
        shape = Shape(environment, Path(environment["VAR_DIR"]), only_tables=True)
        stack.callback(shape.stop)
        shape.start()
        idle, planning, racing, moves = asyncio.run(measure(shape, hosts))
    rate = sum(moves) / RACE_SECONDS
    print(f"countdowns, with the games of the house racers   {planning:.2f} CPU s; then {rate:.1f} moves a second")
    for name in PARTS:
        print(f"{name:<12} {idle[name]:6.1%} with open rooms   {racing[name]:6.1%} in the races")
    share = 100 * sum(racing[name] - idle[name] for name in PARTS)
    met = [
        amount(f"{RACES} races against house racers", share, "%", at_most=LOAD_AIM),
        amount("house racers that did not move", moves.count(0), "errors", at_most=0),
    ]
    return int(not all(met))


async def measure(shape: Shape, hosts: list[list[str]]) -> tuple[Costs, float, Costs, list[int]]:
    """Return the shares of a core with open rooms and in the races, the CPU time between, and each race's moves."""
    async with AsyncExitStack() as stack:
        rooms = [await stack.enter_async_context(Host(shape.tables[0], n, *host)) for n, host in enumerate(hosts)]
        await asyncio.sleep(3)
        idle = await _shares(shape, IDLE_SECONDS)
        before = shape.costs()
        await asyncio.gather(*(room.race(stack) for room in rooms))
        planning = shape.costs()[TABLES[0]] - before[TABLES[0]]
        racing = await _shares(shape, RACE_SECONDS)
    return idle, planning, racing, [room.moves for room in rooms]


async def _shares(shape: Shape, seconds: float) -> Costs:
    before, begun = shape.costs(), time.monotonic()
    await asyncio.sleep(seconds)
    after, took = shape.costs(), time.monotonic() - begun
    return {name: (after[name] - before[name]) / took for name in PARTS}


class Host:
    """A player with an own room, and its race against a house racer."""

    def __init__(self, port: int, number: int, session: str, code: str) -> None:
        self._port, self._number, self._session, self._code = port, number, session, code
        self.moves = 0

    def _connected(self, path: str) -> connect:
        from tests.services.sockets import connected

        return connected(self._port, path, self._session, address=f"127.4.1.{self._number + 1}")

    async def __aenter__(self) -> Self:
        self._table, self._is_racing = asyncio.Event(), asyncio.Event()
        self._room = await self._connected(f"/ws/race/{self._code}/")
        await self._room.send(json.dumps({"type": "hello", "v": 1}))
        self._listener = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.cancel()
        await self._room.close()

    async def _listen(self) -> None:
        tokens = 0
        async for text in self._room:
            message = json.loads(text)
            if message.get("table"):
                self._path = message["table"]
                self._table.set()
            if message["type"] == "room" and message["running"]:
                self._is_racing.set()
            if message["type"] == "lanes":
                found = max(lane[2] for lane in message["lanes"])
                self.moves, tokens = self.moves + max(0, found - tokens), max(found, tokens)

    async def race(self, stack: AsyncExitStack) -> None:
        """Start a race against a house racer, go to the table, and wait for the start."""
        from games.house_racers.racers import HOUSE_RACERS

        racer = list(HOUSE_RACERS)[self._number % len(HOUSE_RACERS)]
        await self._room.send(json.dumps({"type": "bot", "racer": racer}))
        await self._room.send(json.dumps({"type": "ready", "ready": True}))
        await self._table.wait()
        attempt = self._path.rstrip("/").rsplit("/", 1)[1]
        table = await stack.enter_async_context(self._connected(f"/ws/play/{attempt}/"))
        await table.send(json.dumps({"type": "hello", "v": 1, "have": None}))
        await self._is_racing.wait()


def prepare() -> list[tuple[str, str]]:
    """Create players who host a room each; return their sessions and the rooms' codes."""
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.sign_in.guests import create_guest
    from games.manifests import SHORT_VARIANTS
    from games.races import rooms, seats
    from tests.factories import session_of

    call_command("migrate", verbosity=0)
    found = []
    for number in range(RACES):
        host = create_guest()
        variant = SHORT_VARIANTS[number % len(SHORT_VARIANTS)]
        room = rooms.open_room(host, variant, limit_s=1200, seats=8)
        seats.sit(room.pk, host)
        found.append((session_of(host), room.code))
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["prepare"]:
        print(json.dumps(prepare()))
    else:
        sys.exit(main())
