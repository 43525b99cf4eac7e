"""Start of a heat with 64 players on two table processes: how late each player's first cards arrive.

`DATABASE_URL=postgres://… python -m benchmarks.heat_start`; the exit code is 1 if a target is missed. It uses its own
database on that server and its own Redis. Five heats start one after the other, each in four divisions of 16. Every
player has the table and the room open, as in the browser, in turns on either process. The clients share the machine and
its clock with the servers.

The limit of 100 ms is the promise to the players, not a comparison, so the machine should be otherwise idle.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import AsyncExitStack, ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.databases import server_url
from benchmarks.processes import Shape, own_servers
from benchmarks.references import amount, announce

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

PLAYERS, HEATS = 64, 5
#: Seconds from the division to the start, in which all players come to their tables.
COUNTDOWN: Final = 12
#: Share of the first cards in percent that may come later than this many ms.
LATE_MS, LATE_AIM = 100, 1.0


def main() -> int:
    url = server_url()
    if not url:
        return 0
    with ExitStack() as stack:
        environment = stack.enter_context(own_servers(url))
        announce(environment, "workers and beat")
        prepare("migrate", environment)
        shape = Shape(environment, Path(environment["VAR_DIR"]), tables=2, only_tables=True)
        stack.callback(shape.stop)
        shape.start()
        late = sorted(
            ms for _ in range(HEATS) for ms in asyncio.run(start(prepare("divide", environment), shape.tables))
        )
    return report(late)


def prepare(what: str, environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.heat_start", what]
    found: dict[str, Any] = json.loads(subprocess.check_output(command, env=environment, text=True))
    return found


def report(late: list[float]) -> int:
    """Print the figures of the sorted delays in ms."""
    p50, p99 = (late[len(late) * percent // 100] for percent in (50, 99))
    print(f"first cards, {HEATS} heats of {PLAYERS}   p50 {p50:.1f} ms   p99 {p99:.1f} ms   last {late[-1]:.1f} ms")
    share = 100 * sum(ms > LATE_MS for ms in late) / len(late)
    met = [
        amount(f"first cards later than {LATE_MS} ms", share, "%", at_most=LATE_AIM),
        amount("cards before the start", sum(ms < 0 for ms in late), "errors", at_most=0),
    ]
    return int(not all(met))


async def start(heat: dict[str, Any], ports: list[int]) -> list[float]:
    """Bring all players to their tables, and return the ms from the start to each one's cards."""
    async with AsyncExitStack() as stack:
        seated = asyncio.gather(*(_cards(stack, number, ports, seat) for number, seat in enumerate(heat["seats"])))
        spare = heat["starts_at"] - time.time()
        dealt = await asyncio.wait_for(seated, spare + 30)
    return [1000 * (at - heat["starts_at"]) for at in dealt]


async def _cards(stack: AsyncExitStack, number: int, ports: list[int], seat: list[str]) -> float:
    """Open the room and the table of a player; return the time at which the first view arrives.

    :raises AssertionError: if the player is at the table only after the start.
    """
    from tests.services.sockets import connected

    session, attempt, code = seat
    port, address = ports[number % len(ports)], f"127.4.0.{number + 1}"
    room = await stack.enter_async_context(connected(port, f"/ws/race/{code}/", session, address=address))
    await room.send(json.dumps({"type": "hello", "v": 1}))
    table = await stack.enter_async_context(connected(port, f"/ws/play/{attempt}/", session, address=address))
    await table.send(json.dumps({"type": "hello", "v": 1, "have": None}))
    assert json.loads(await table.recv())["type"] == "waiting"
    while '"view"' not in str(frame := await table.recv()):
        assert frame
    return time.time()


def migrate() -> dict[str, Any]:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return {}


def divide() -> dict[str, Any]:
    """Seat the players of a heat and divide them; return the start, and each one's session, attempt and room."""
    from django.utils import timezone

    from accounts.sign_in.guests import create_guest
    from games.races import heats, rooms, seats
    from games.races.models import Entrant, Race, Room
    from tests.factories import session_of

    players = [create_guest() for _ in range(PLAYERS)]
    room = rooms.open_room(None, "labyrinth", limit_s=heats.LIMIT_S, seats=heats.DIVISION, kind=Room.Kind.HEAT)
    Room.objects.filter(pk=room.pk).update(seats=heats.SEATS)
    for player in players:
        seats.sit(room.pk, player)
    Entrant.objects.filter(race__room=room).update(state=Entrant.State.READY)
    starts_at = (timezone.now() + timedelta(seconds=COUNTDOWN + 1)).replace(microsecond=0)
    Race.objects.filter(room=room).update(scheduled_at=starts_at, division=1)
    heats.advance_all(starts_at - heats.FROZEN)
    entrants = Entrant.objects.filter(race__scheduled_at=starts_at).select_related("player", "attempt", "race__room")
    found = [
        (session_of(entrant.player), str(entrant.attempt.public_id), entrant.race.room.code)
        for entrant in entrants.order_by("pk")
        if entrant.attempt is not None
    ]
    return {"starts_at": starts_at.timestamp(), "seats": found}


if __name__ == "__main__":
    match sys.argv[1:]:
        case [("migrate" | "divide") as what]:
            import django

            django.setup()
            print(json.dumps(migrate() if what == "migrate" else divide()))
        case _:
            sys.exit(main())
