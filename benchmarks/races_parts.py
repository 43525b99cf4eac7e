"""200 concurrent races of four on one process: the time of moves, and when the cards arrive.

A part of `benchmarks.races`. Players are connections within the process: each has a table and watches its room. Moves
are due at fixed times and measured from them, so that waiting for the previous move is included.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import sys
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import uvloop

from benchmarks.references import bare_p99

if TYPE_CHECKING:
    from games.live.live_table import LiveTable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RACES, RACERS = 200, 4
#: The countdown is this many times the time to seat all players, estimated from the first race.
ROOM_TO_SIT = 3.0
#: Seconds between two moves of a racer, and of play: for a single race, and for all together.
ALONE_EVERY, ALONE_SECONDS = 0.1, 12.0
EVERY, SECONDS = 2.0, 10.0


class Told(msgspec.Struct):
    """The fields of a message that a player needs."""

    type: str = ""
    legal: list[str] = []


_decode = msgspec.json.Decoder(Told).decode


@dataclass(eq=False)
class Player:
    """A racer's connections to the table and to the room."""

    player_id: int
    code: str
    attempt: Any
    table: LiveTable | None = None
    dealt: asyncio.Event = field(default_factory=asyncio.Event)
    dealt_at: float = 0.0
    first: str = ""
    legal: list[str] = field(default_factory=list)

    def send_frame(self, frame: str) -> None:
        now = time.time()
        message = _decode(frame)
        if message.type == "view":
            self.dealt_at, self.first = now, frame
            self.dealt.set()
        if message.type in {"view", "moved"}:
            self.legal = message.legal

    async def play(self, begin: float, every: float, seconds: float) -> list[float]:
        """Move at fixed times; return the time from each until the move is acknowledged."""
        assert self.table is not None
        waits: list[float] = []
        if not self.legal:
            return waits  # one deal of some thousands has no first move
        for due in itertools.takewhile(lambda at: at < begin + seconds, itertools.count(begin, every)):
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            n = self.table.n
            await self.table.play(n + 1, self.legal[n % len(self.legal)] if self.legal else "u")
            waits.append(time.monotonic() - due)
        return waits


class Eyes:
    """A player's connection to the room."""

    is_elsewhere = False
    heard_at = math.inf

    def __init__(self, player_id: int) -> None:
        self.player_id = player_id
        self.bytes = 0

    def send_frame(self, frame: str) -> None:
        self.bytes += len(frame)

    def dismiss(self, frame: str) -> None:
        raise SystemExit(frame)


def gather(races: int) -> list[int]:
    """Create rooms with seated players, and return the ids of their races."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from games.races import rooms
    from games.races.models import Entrant, Race

    user = get_user_model()
    user.objects.bulk_create([user(username=f"p{n}", is_guest=True) for n in range(races * RACERS)])
    players = list(user.objects.order_by("pk"))
    for host in players[::RACERS]:
        rooms.open_room(host, "stonewall", public=True, limit_s=3600, seats=RACERS)
    ids = list(Race.objects.order_by("pk").values_list("pk", flat=True))
    now = timezone.now()
    Entrant.objects.bulk_create(
        Entrant(race_id=ids[number // RACERS], player=player, joined_at=now) for number, player in enumerate(players)
    )
    return ids


def freeze(races: list[int], countdown: timedelta) -> tuple[float, list[tuple[int, str, Any]]]:
    """Start all countdowns at once; return the time of the start, and the racers with rooms and attempts.

    Rows are updated in bulk; one by one would take minutes, and is not to be measured.
    """
    from django.utils import timezone

    from games.models import Attempt, Deal
    from games.races.models import Entrant, Race

    starts = (timezone.now() + countdown).replace(microsecond=0)
    ends = starts + timedelta(hours=1)
    Deal.objects.filter(races__in=races).update(opens_at=starts)
    racers = list(Entrant.objects.filter(race__in=races).select_related("race__room").order_by("pk"))
    for racer in racers:
        keys: dict[str, Any] = {"deal_id": racer.race.deal_id, "player_id": racer.player_id}
        racer.state = Entrant.State.SEATED
        racer.attempt = Attempt(ranked=False, started_at=starts, deadline=ends, **keys)
    Attempt.objects.bulk_create([racer.attempt for racer in racers if racer.attempt])
    Entrant.objects.bulk_update(racers, ["state", "attempt"])
    Race.objects.filter(pk__in=races).update(state=Race.State.COUNTDOWN, starts_at=starts, ends_at=ends)
    rows = [(one.player_id or 0, one.race.room.code, one.attempt and one.attempt.public_id) for one in racers]
    return starts.timestamp(), rows


async def seat(rows: list[tuple[int, str, Any]]) -> list[Player]:
    """Sit down at the tables and watch the rooms."""
    from games.live.table_registry import shared_tables
    from games.races.live.room_hub import shared_hub

    players = [Player(*row) for row in rows]
    for player in players:
        player.table = await shared_tables().join(player.attempt, player.player_id, player, None)
        await shared_hub().enter(player.code, Eyes(player.player_id))
    return players


async def play(players: list[Player], every: float, seconds: float) -> list[float]:
    """Have all play, each at different times, and return the sorted waits."""
    begin = time.monotonic() + 1
    offsets = [every * number / len(players) for number in range(len(players))]
    found = await asyncio.gather(
        *(one.play(begin + offset, every, seconds) for one, offset in zip(players, offsets, strict=True))
    )
    return sorted(itertools.chain.from_iterable(found))


async def run(first: list[int], others: list[int]) -> dict[str, Any]:
    """Run one race alone, then all the others together."""
    from asgiref.sync import sync_to_async

    from games.live.table_registry import shared_tables

    _, rows = await sync_to_async(freeze)(first, timedelta(seconds=10))
    players = await seat(rows[:1])  # to open pools and the like
    begun = time.monotonic()
    players += await seat(rows[1:])
    each = (time.monotonic() - begun) / (RACERS - 1)
    countdown = timedelta(seconds=10 + ROOM_TO_SIT * len(others) * RACERS * each)
    await asyncio.gather(*(player.dealt.wait() for player in players))
    await asyncio.sleep(1)
    alone = await play(players, ALONE_EVERY, ALONE_SECONDS)
    print("a single race is measured", file=sys.stderr)
    starts_at, rows = await sync_to_async(freeze)(others, countdown)
    players = await seat(rows)
    spare = starts_at - time.time()
    print(f"all seated {spare:.0f} s before the start", file=sys.stderr)
    assert spare > 1, "this machine is too slow to seat all players in time"
    await asyncio.gather(*(player.dealt.wait() for player in players))
    print("all cards are dealt", file=sys.stderr)
    start = [player.dealt_at - starts_at for player in players]
    await asyncio.sleep(5)
    bare = await bare_p99([player.first for player in players])
    begun = time.process_time()
    together = await play(players, EVERY, SECONDS)
    busy = (time.process_time() - begun) / (SECONDS + 1)
    await shared_tables().close()
    return {
        "races": len(others),
        "start": sorted(start),
        "bare": bare,
        "alone": alone,
        "together": together,
        "busy": busy,
        "spare": spare,
    }


def main() -> None:
    """Measure, and print the results."""
    import django

    django.setup()
    from django.core.management import call_command

    from config.processes.server import shorten_switch_interval, tune_collector

    call_command("migrate", verbosity=0)
    tune_collector()
    shorten_switch_interval()
    first, *others = gather((int(sys.argv[1]) if sys.argv[1:] else RACES) + 1)
    print("the rooms are ready", file=sys.stderr)
    print(json.dumps(uvloop.run(run([first], others))), flush=True)
    os._exit(0)  # otherwise the layer would log every cancelled read


if __name__ == "__main__":
    main()
