"""A race of 16 with 100 spectators over two processes: lane latency and bytes, the start, and the cost of moves.

Then 200 races of four, all on one process, start in the same second: when the cards arrive, and the time of moves
compared with a single race.

`DATABASE_URL=postgres://… REDIS_URL=redis://… python -m benchmarks.races`; the exit code is 1 if a target is missed.
One process has the racers' tables, the other the spectators; both are on this machine and share its clock. It uses its
own database on that server, and drops it at the end. Lanes are compared with a bare message between the same two
processes, and the first cards with the same frames sent from a timer.
"""

# ruff: noqa: ANN401 - messages and rows are what they are
from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from math import inf
from typing import Any

from benchmarks.databases import own_database
from benchmarks.references import amount, announce, bare_p99, row

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RACERS, SPECTATORS = 16, 100
COUNTDOWN = 6.0
ROUNDS, BUSY_SECONDS, MOVES = 40, 10.0, 400
GROUP = "benchmark"
#: p95 of lanes, relative to bare messages between the same processes.
LANE_AIM = 6.0
BYTES_AIM = 2048
#: p99 of first cards, relative to the same frames ready to send: for one race, and for all at once.
START_AIM, STARTS_AIM = 6.0, 6.0
MOVE_AIM = 1.10
#: p99 of moves in 200 races, relative to a single race in the same process.
MANY_AIM = 3.0


def main() -> int:
    url, redis = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if not url.startswith("postgres") or not redis:
        print("skipped: DATABASE_URL names no PostgreSQL, or REDIS_URL no Redis")
        return 0
    missed = 0
    settings = {**os.environ, "SEALED_STOCK": "0"}
    announce(settings, "workers and beat")
    for work in (measure, measure_many):
        with own_database(url) as own, tempfile.TemporaryDirectory() as var:
            missed |= work({**settings, "DATABASE_URL": own, "VAR_DIR": var})
    return missed


def measure_many(environment: dict[str, str]) -> int:
    """Measure 200 races of four at once on one process."""
    command = [sys.executable, "-m", "benchmarks.races_parts", *sys.argv[1:]]
    done = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)
    start, alone, together = done["start"], done["alone"], done["together"]
    for what, waits in (("one race alone", alone), (f"{done['races']} races at once", together)):
        p50, p99 = (percentile(waits, percent) * 1000 for percent in (50, 99))
        print(f"a move, {what:<18} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms   {len(waits)} moves")
    print(f"CPU of the process meanwhile   {done['busy']:.0%}")
    started = [
        row(
            "first cards of all races, p99", percentile(start, 99) * 1000, done["bare"] * 1000, "ms", at_most=STARTS_AIM
        ),
        amount("cards before the start", sum(late < 0 for late in start), "errors", at_most=0),
    ]
    moves = percentile(together, 99) * 1000, percentile(alone, 99) * 1000
    return int(not all([*started, row("p99 of moves beside a race alone", *moves, "ms", at_most=MANY_AIM)]))


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return a percentile of sorted values."""
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def measure(environment: dict[str, str]) -> int:
    def part(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmarks.races", *arguments]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)

    prepared, _ = part("prepare").communicate()
    watching = part("watch", prepared)
    assert watching.stdout is not None
    watching.stdout.readline()
    done, _ = part("race", prepared).communicate()
    seen, _ = watching.communicate("stop\n")
    return report(json.loads(done), json.loads(seen))


def report(done: dict[str, Any], seen: dict[str, Any]) -> int:
    bare = sorted(seen["bare"])
    waits = sorted(
        at - played
        for played, key in done["single"]
        for viewer in seen["lanes"]
        for at in [viewer.get(key)]
        if at is not None
    )
    busy = sorted(
        at - played for played, key in done["busy"] for viewer in seen["lanes"] for at in [reached(viewer, key)] if at
    )
    spread = sorted(done["start"])
    a_second = max(seen["bytes"]) / done["busy_seconds"]
    p50, bare_p95 = (percentile(bare, percent) * 1000 for percent in (50, 95))
    print(f"bare message               p50 {p50:6.1f} ms   p95 {bare_p95:6.1f} ms")
    p50, p95 = (percentile(waits, percent) * 1000 for percent in (50, 95))
    print(f"lane, one move             p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   to {len(seen['lanes'])} viewers")
    p50, late = (percentile(busy, percent) * 1000 for percent in (50, 99))
    print(f"lane, all play             p50 {p50:6.0f} ms   p99 {late:6.0f} ms")
    first, (move, plain) = percentile(spread, 99) * 1000, done["move"]
    met = [
        row("lane, p95, beside a bare message", p95, bare_p95, "ms", at_most=LANE_AIM),
        amount("bytes to a viewer", a_second, "bytes/s", at_most=BYTES_AIM),
        row("first card, p99, beside bare messages", first, done["bare"] * 1000, "ms", at_most=START_AIM),
        amount("cards before the start", sum(late < 0 for late in spread), "errors", at_most=0),
        row("CPU of a racer's move beside others'", move * 1000, plain * 1000, "ms", at_most=MOVE_AIM),
    ]
    return int(not all(met))


def reached(viewer: dict[str, float], key: str) -> float | None:
    """Return the time when a viewer had seen this token or a later one."""
    entrant, _, n = key.partition(" ")
    times = [viewer[f"{entrant} {later}"] for later in range(int(n), int(n) + 12) if f"{entrant} {later}" in viewer]
    return min(times, default=None)


def prepare() -> None:
    """Create a room with its players, and print it."""
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.sign_in.guests import create_guest
    from games.races import rooms, seats

    call_command("migrate", verbosity=0)
    players = [create_guest() for _ in range(RACERS)]
    room = rooms.open_room(players[0], "stonewall", public=True, limit_s=3600, seats=RACERS)
    for player in players:
        seats.sit(room.pk, player)
    ordinary = create_guest()
    print(
        json.dumps({"room": room.pk, "code": room.code, "players": [one.pk for one in players], "other": ordinary.pk})
    )


class Eyes:
    """A spectator: the time each number of tokens was first seen, and the bytes received."""

    is_elsewhere = False
    heard_at = inf

    def __init__(self, player_id: int | None) -> None:
        self.player_id = player_id
        self.heard: dict[str, float] = {}
        self.bytes = 0

    def send_frame(self, frame: str) -> None:
        now = time.monotonic()
        self.bytes += len(frame)
        message = json.loads(frame) if '"lanes"' in frame[:20] else {}
        for lane in message.get("lanes", []):
            self.heard.setdefault(f"{lane[0]} {lane[2]}", now)

    def dismiss(self, frame: str) -> None:
        raise SystemExit(frame)


async def watch(prepared: dict[str, Any]) -> None:
    """Watch until stopped, and print the results."""
    from channels.layers import get_channel_layer

    from games.races.live.room_hub import RoomHub

    hub, layer = RoomHub(), get_channel_layer()
    eyes = [Eyes(player) for player in prepared["players"]] + [Eyes(None) for _ in range(SPECTATORS)]
    for one in eyes:
        await hub.enter(prepared["code"], one)
    channel = await layer.new_channel()  # type: ignore[union-attr]
    await layer.group_add(GROUP, channel)  # type: ignore[union-attr]
    bare: list[float] = []

    async def listen() -> None:
        while True:
            message = await layer.receive(channel)  # type: ignore[union-attr]
            if message["type"] == "bench.begin":
                for one in eyes:
                    one.bytes = 0
            elif message["type"] == "bench.end":
                counted.extend(one.bytes for one in eyes)
            else:
                bare.append(time.monotonic() - message["at"])

    counted: list[int] = []
    task = asyncio.create_task(listen())
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    assert not task.done()
    print(json.dumps({"bare": bare, "lanes": [one.heard for one in eyes], "bytes": counted or [0]}), flush=True)
    os._exit(0)  # otherwise the layer would log every cancelled read


class Hand:
    """A player's connection to a table."""

    def __init__(self) -> None:
        self.dealt = asyncio.Event()
        self.dealt_at = 0.0
        self.first = ""
        self.legal: list[str] = []

    def send_frame(self, frame: str) -> None:
        now = time.time()
        message = json.loads(frame)
        self.legal = message.get("legal", self.legal)
        if message["type"] == "view":
            self.dealt_at, self.first = now, frame
            self.dealt.set()

    async def play(self, table: Any) -> None:
        await table.play(table.n + 1, self.legal[table.n % len(self.legal)] if self.legal else "u")


async def race(prepared: dict[str, Any]) -> None:
    """Run the race; print the times of moves and of the cards, and the cost of a move."""
    from asgiref.sync import sync_to_async
    from channels.layers import get_channel_layer
    from django.utils import timezone

    from games.live.table_registry import shared_tables
    from games.models import Attempt
    from games.races import starting
    from games.races.models import Entrant, Race

    layer: Any = get_channel_layer()
    tables = shared_tables()
    found = await Race.objects.aget(room=prepared["room"])
    countdown = timedelta(seconds=COUNTDOWN)
    await sync_to_async(starting.start)(prepared["room"], countdown=countdown, now=timezone.now())
    await found.arefresh_from_db()
    assert found.starts_at is not None
    assert found.deal_id is not None
    seated = []
    async for entrant in Entrant.objects.filter(race=found).select_related("attempt"):
        hand = Hand()
        attempt: Any = entrant.attempt
        table = await tables.join(attempt.public_id, entrant.player_id or 0, hand, None)
        seated.append((entrant.pk, table, hand))
    await asyncio.gather(*(hand.dealt.wait() for *_, hand in seated))
    start = [hand.dealt_at - found.starts_at.timestamp() for *_, hand in seated]
    await asyncio.sleep(2)
    bare = await bare_p99([hand.first for *_, hand in seated])

    single = []
    for number in range(ROUNDS):
        await layer.group_send(GROUP, {"type": "bench.bare", "at": time.monotonic()})
        await asyncio.sleep(0.5)
        key, table, hand = seated[number % RACERS]
        await hand.play(table)
        single.append((time.monotonic(), f"{key} {table.n}"))
        await asyncio.sleep(1.1)

    await layer.group_send(GROUP, {"type": "bench.begin"})
    begun, busy = time.monotonic(), []
    while time.monotonic() - begun < BUSY_SECONDS:
        for key, table, hand in seated:
            await hand.play(table)
            busy.append((time.monotonic(), f"{key} {table.n}"))
            await asyncio.sleep(1 / RACERS)
    lasted = time.monotonic() - begun
    await layer.group_send(GROUP, {"type": "bench.end"})

    other, own = Hand(), seated[0][2]
    attempt = await Attempt.objects.acreate(
        deal_id=found.deal_id, player_id=prepared["other"], ranked=False, started_at=timezone.now()
    )
    plain = await tables.join(attempt.public_id, prepared["other"], other, None)
    plain.subscribers.followers = ()
    costs: dict[str, list[float]] = {"race": [], "plain": []}
    for _ in range(MOVES):
        for what, table, hand in (("race", seated[0][1], own), ("plain", plain, other)):
            before = time.thread_time()
            await hand.play(table)
            costs[what].append(time.thread_time() - before)
    move = [statistics.median(costs[what]) for what in ("race", "plain")]
    await tables.close()
    print(
        json.dumps({"start": start, "single": single, "busy": busy, "busy_seconds": lasted, "move": move, "bare": bare})
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare"]:
            prepare()
        case [("watch" | "race") as what, prepared]:
            import django

            django.setup()
            asyncio.run((watch if what == "watch" else race)(json.loads(prepared)))
        case _:  # or a number: of concurrent races
            sys.exit(main())
