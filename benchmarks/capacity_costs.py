"""Measurement of `benchmarks.capacity`'s costs, step by step.

The CPU time of whole process trees, with a server's ended processes, is read before and after each step, and the idle
site's share is subtracted. The wall clock only paces the players.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.capacity_model import BETWEEN, LASTING, NEWCOMER, ONCE, RETURNING, Cost, Costs, Memory, Stored, total
from benchmarks.capacity_site import JOURNAL, Prepared, Site, Tree, run, stack
from benchmarks.capacity_visitors import (
    PING_EVERY,
    Guest,
    Socket,
    Table,
    gathered,
    late,
    listening,
    some_at_once,
    thought,
)

VISITORS = 200
WARM = 9
PLAYING = 100
TOKENS = 100
PACE = 0.4  # s between two moves of a player
FINISHES_A_SECOND = 10
#: Players who arrive at random moments, and the moves they make.
NEW_AT_RANDOM, ACCOUNTS_AT_RANDOM, ARRIVING_SECONDS, FIRST_MOVES = 100, 50, 30.0, 5
IDLE_SECONDS = 15.0
WATCHERS, CHANGES = 200, 10
ROOMS, COUNTDOWN = 20, 12
RACE_PACE, RACE_SECONDS = 2.0, 16.0
SPECTATORS = 160
Step = Callable[[], Awaitable[Any]]

#: Tables that store games.
GAMES = ("games_attempt", "games_start")


def measure(say: Callable[[str], None]) -> Costs:
    """Measure everything, in some five minutes; `say` gets progress messages."""
    with stack(ROOMS, VISITORS + WARM + ACCOUNTS_AT_RANDOM, say) as (site, prepared):
        return asyncio.run(Measurement(site, prepared, say).costs())


class Measurement:
    """All steps in order."""

    def __init__(self, site: Site, prepared: Prepared, say: Callable[[str], None]) -> None:
        self.site, self.prepared, self.say = site, prepared, say
        self.each: dict[str, Cost] = {}
        self.made = 0
        self.socket_kib = 0.0
        """Memory of an open table."""

    async def costs(self) -> Costs:
        """Measure everything."""
        self.say("warming up")
        await self.warm_up([self.visitor() for _ in range(WARM)])
        accounts = [self.visitor(session) for session in self.prepared.sessions]
        await self.warm_up(accounts[VISITORS : VISITORS + WARM])
        self.site.idle = await self.site.cost(asyncio.sleep(IDLE_SECONDS)) * (1 / IDLE_SECONDS)
        web, judging = self.site.trees["web"], Tree(self.site.trees["worker"].pids()[-1])
        process, worker = web.resident_kib() / 1024, judging.resident_kib() / 1024
        bare = [await self.bare_view()]
        guest, begun = await self.newcomers()
        bare.append(await self.bare_view())
        rate, move, judged = await self.accounts(accounts[:VISITORS])
        await self.at_random(accounts[VISITORS + WARM :])
        await self.race()
        bare.append(await self.bare_view())
        return Costs(
            taken=datetime.now(UTC).date().isoformat(),
            machine=machine(),
            tokens=TOKENS,
            moves_a_second=round(rate),
            bare_view=round(statistics.mean(bare), 3),
            each={name: self.each[name] for name in (*ONCE, *LASTING)},
            stored=Stored(move=round(move), game=round(begun + judged), guest=round(guest)),
            memory=Memory(round(process), round(worker), round(self.socket_kib, 1)),
        )

    async def bare_view(self) -> float:
        """Return the web process's CPU ms for an empty page."""
        visitors = [self.visitor() for _ in range(VISITORS)]
        cost = await self.site.cost(some_at_once([partial(visitor.get, "/bare") for visitor in visitors]))
        await self.leave(visitors, [])
        return cost.web / VISITORS

    async def newcomers(self) -> tuple[float, float]:
        """Bring newcomers up to the first cards; return the bytes stored per guest and per started game."""
        visitors = [self.visitor() for _ in range(VISITORS)]
        before = self.site.bytes()
        tables = await self.arrive(visitors, "")
        grown = self.growth(before)
        await self.idle(tables)
        await self.step("leave", [table.close for table in tables])
        await self.leave(visitors, [])
        begun = sum(grown.get(name, 0) for name in GAMES)
        guest = sum(size for name, size in grown.items() if name not in {*GAMES, JOURNAL})
        return guest / VISITORS, begun / VISITORS

    async def accounts(self, visitors: Sequence[Guest]) -> tuple[float, float, float]:
        """Have players with accounts play; return moves per second, and bytes stored per move and per finished game."""
        tables = await self.arrive(visitors, " again")
        before = self.site.bytes()
        rate = await self.moves(tables[:PLAYING])
        played = self.growth(before)[JOURNAL]
        before = self.site.bytes()
        await self.verdicts(visitors[:PLAYING], tables[:PLAYING])
        judged = sum(size for name, size in self.growth(before).items() if name != JOURNAL)
        await self.watch(visitors[PLAYING:], tables[PLAYING:])
        await self.step("leave again", [table.close for table in tables])
        await self.leave(visitors, [])
        return rate, played / (PLAYING * TOKENS), judged / PLAYING

    async def at_random(self, accounts: Sequence[Guest]) -> None:
        """Measure what arrivals at random moments cost beyond the sum of their steps and moves."""
        visitors = [self.visitor() for _ in range(NEW_AT_RANDOM)] + list(accounts)
        moments = sorted(random.uniform(0, ARRIVING_SECONDS) for _ in visitors)
        random.shuffle(visitors)
        ways = [late(partial(self.way, visitor), at) for visitor, at in zip(visitors, moments, strict=True)]
        cost = await self.site.cost(gathered(ways)) * (1 / len(visitors))
        await self.leave(visitors, [])
        known = self.each | {BETWEEN: Cost()}
        new = NEW_AT_RANDOM / len(visitors)
        steps = total(known, NEWCOMER) * new + total(known, RETURNING) * (1 - new)
        self.note(BETWEEN, cost - steps - known["move"] * FIRST_MOVES)

    async def way(self, visitor: Guest) -> None:
        """Go from the home page to the first moves, with a pause on each page."""
        home, start_page, start = self.steps(visitor).values()
        for look in (home, start_page):
            await look()
            await thought()
        await start()
        await visitor.table()
        table = visitor.socket()
        await table.hello()
        await table.play(FIRST_MOVES, 0.0, 0.0)
        await table.close()

    def visitor(self, session: str = "") -> Guest:
        """Return a visitor with a new address."""
        self.made += 1
        return Guest(self.site, self.made, session)

    def growth(self, before: dict[str, int]) -> dict[str, int]:
        """Return the growth of the tables in bytes."""
        return {name: size - before.get(name, 0) for name, size in self.site.bytes().items()}

    def note(self, name: str, cost: Cost) -> None:
        """Store and print the cost of an item."""
        self.each[name] = cost.written()
        self.say(f"{name}: {self.each[name]}")

    async def step(self, name: str, work: Sequence[Step]) -> None:
        """Do the same work for many visitors, a few at once, and record the cost of each."""
        self.note(name, await self.site.cost(some_at_once(work)) * (1 / len(work)))

    async def warm_up(self, visitors: Sequence[Guest]) -> None:
        """Do everything once in every game."""
        tables = []
        for visitor in visitors:
            for step in (*self.steps(visitor).values(), visitor.table):
                await step()
            tables.append(visitor.socket())
            await tables[-1].hello()
            await tables[-1].play(5, 0.0, 0.0)
            await tables[-1].finish()
            await visitor.get(f"{visitor.path}after/")
        await self.leave(visitors, tables)

    def steps(self, visitor: Guest) -> dict[str, Step]:
        """Return the steps that lead to a game."""
        start = f"/play/{visitor.variant}/"
        return {
            "home": partial(visitor.get, "/"),
            "start page": partial(visitor.get, start),
            "start": partial(visitor.start, f"{start}start"),
        }

    async def arrive(self, visitors: Sequence[Guest], kind: str) -> list[Table]:
        """Bring all visitors up to the first cards, step by step."""
        for name in ("home", "start page", "start"):
            await self.step(f"{name}{kind}", [self.steps(visitor)[name] for visitor in visitors])
        await self.step(f"table{kind}", [visitor.table for visitor in visitors])
        tables = [visitor.socket() for visitor in visitors]
        before = self.site.trees["web"].resident_kib()
        await self.step(f"hello{kind}", [table.hello for table in tables])
        # Measured with the first tables only, because later ones reuse their memory.
        self.socket_kib = self.socket_kib or (self.site.trees["web"].resident_kib() - before) / len(tables)
        return tables

    async def idle(self, tables: Sequence[Table]) -> None:
        """Measure open, idle tables."""
        quiet = [table.ping(IDLE_SECONDS, PING_EVERY * number / len(tables)) for number, table in enumerate(tables)]
        self.note("socket", await self.site.cost(gathered(quiet)) * (1 / (len(tables) * IDLE_SECONDS)))

    async def moves(self, tables: Sequence[Table]) -> float:
        """Play at an even pace, and return the total moves per second."""
        begun = time.monotonic()
        games = [table.play(TOKENS, PACE, PACE * number / len(tables)) for number, table in enumerate(tables)]
        self.note("move", await self.site.cost(gathered(games)) * (1 / (len(tables) * TOKENS)))
        return len(tables) * TOKENS / (time.monotonic() - begun)

    async def verdicts(self, visitors: Sequence[Guest], tables: Sequence[Table]) -> None:
        """Resign the players' games one by one, and open the end panel."""

        async def end(visitor: Guest, table: Table) -> None:
            await table.finish()
            await visitor.get(f"{visitor.path}after/")

        ends = [partial(end, visitor, table) for visitor, table in zip(visitors, tables, strict=True)]
        work = gathered([late(one, number / FINISHES_A_SECOND) for number, one in enumerate(ends)])
        self.note("verdict", await self.site.cost(work) * (1 / len(ends)))

    async def watch(self, visitors: Sequence[Guest], tables: Sequence[Table]) -> None:
        """Measure a board that changes every second, without watchers and with many."""
        boards: dict[str, list[Table]] = {}
        for visitor, table in zip(visitors, tables, strict=True):
            boards.setdefault(visitor.variant, []).append(table)
        (_, unseen), (variant, seen), *_ = boards.items()
        alone = await self.site.cost(self.changes(unseen))
        path = f"/ws/board/{self.deal(variant)}/?board=race"
        sockets = [Socket(self.site, self.visitor().address, path) for _ in range(WATCHERS)]
        async with listening(sockets):
            together = await self.site.cost(self.changes(seen))
        self.note("watcher", (together - alone) * (1 / (WATCHERS * CHANGES)))

    def deal(self, variant: str) -> int:
        """Return the id of today's deal."""
        found = self.site.ask(f"SELECT id FROM games_deal WHERE variant = '{variant}' AND day IS NOT NULL")
        return int(found[0][0])

    async def changes(self, tables: Sequence[Table]) -> None:
        """Finish one game a second."""
        await gathered([late(table.finish, number) for number, table in enumerate(tables[:CHANGES])])
        await asyncio.sleep(1)

    async def race(self) -> None:
        """Measure races of four without and with spectators."""
        begin = ("benchmarks.capacity_parts", "begin", json.dumps(self.prepared.races), str(COUNTDOWN))
        rows = json.loads(await asyncio.to_thread(run, *begin, environment=self.site.environment))
        tables, rooms = [], []
        for code, attempt, session in rows:
            address, cookies = self.visitor().address, f"sessionid={session}"
            tables.append(Table(self.site, address, f"/ws/play/{attempt}/", cookies, {}))
            rooms.append(Socket(self.site, address, f"/ws/race/{code}/", cookies))
        looking = [
            Socket(self.site, self.visitor().address, rooms[number % len(rooms)].path) for number in range(SPECTATORS)
        ]
        async with listening(rooms, greet=True):
            await gathered([table.sit() for table in tables])
            alone = await self.site.cost(self.run_races(tables))
            async with listening(looking, greet=True):
                together = await self.site.cost(self.run_races(tables))
        moves = self.each["move"] * (len(tables) * RACE_SECONDS / RACE_PACE)
        self.note("racer", (alone - moves) * (1 / (len(tables) * RACE_SECONDS)))
        self.note("spectator", (together - alone) * (1 / (SPECTATORS * RACE_SECONDS)))
        await self.leave([], tables)

    async def run_races(self, tables: Sequence[Table]) -> None:
        """Have all racers move at the same pace."""
        moves = round(RACE_SECONDS / RACE_PACE)
        offsets = [RACE_PACE * number / len(tables) for number in range(len(tables))]
        await gathered([table.play(moves, RACE_PACE, at) for table, at in zip(tables, offsets, strict=True)])

    async def leave(self, visitors: Sequence[Guest], tables: Sequence[Table]) -> None:
        await gathered([table.close() for table in tables])
        await gathered([visitor.close() for visitor in visitors])


def machine() -> str:
    """Describe the machine."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}"
