"""Faults during a race: killed processes, an emptied Redis, and players who lose their connections."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from tests.services.racing.racers import Racer
from tests.services.stack import Pair, Stack

Kind = Literal["web", "tables", "workers", "beat", "Redis", "connections"]
#: Share of the players who lose their connection at a time, and for how many seconds.
SHARE = 0.1
OFFLINE = (0.0, 4.0)
#: Most seconds between two of the repeated faults.
PAUSE = 3.0


@dataclass(frozen=True)
class Schedule:
    """Faults of each phase in order. Those in `meanwhile` are repeated until the race is over."""

    gathering: tuple[Kind, ...] = ()
    division: tuple[Kind, ...] = ()
    countdown: tuple[Kind, ...] = ("tables", "Redis")
    racing: tuple[Kind, ...] = ("tables", "Redis", "connections")
    meanwhile: tuple[Kind, ...] = ()
    settling: tuple[Kind, ...] = ()


#: Kills the first table process and then the second, and nothing else.
SHORT = Schedule()
FULL = Schedule(
    gathering=("connections", "web", "Redis", "connections"),
    division=("connections",),
    countdown=("tables", "Redis", "connections"),
    meanwhile=("web", "tables", "workers", "beat", "Redis", "connections"),
    settling=("connections", "workers", "Redis"),
)


class Trouble:
    """Faults dealt to a stack and to the racers on it. What was killed is started again at once."""

    def __init__(self, stack: Stack, racers: Sequence[Racer], choose: random.Random) -> None:
        self._stack, self._racers, self._choose = stack, racers, choose
        self.dealt: Counter[Kind] = Counter()
        self.lost: Counter[int] = Counter()
        """How often racers have lost their connection."""
        self._next = {"web": choose.randrange(2), "tables": 0}

    async def deal(self, *kinds: Kind) -> None:
        for kind in kinds:
            await self._deal(kind)
            self.dealt[kind] += 1

    async def repeat(self, kinds: Sequence[Kind], until: asyncio.Future[None]) -> None:
        """Deal faults in random order until a future is done, each kind as often as the others."""
        while kinds and not until.done():
            for kind in self._choose.sample(kinds, len(kinds)):
                if not until.done():
                    await self.deal(kind)
                    await asyncio.sleep(self._choose.uniform(0, PAUSE))

    async def _deal(self, kind: Kind) -> None:
        match kind:
            case "web":
                await self._kill(self._stack.webs)
            case "tables":
                await self._kill(self._stack.tables)
            case "workers":
                await asyncio.to_thread(self._restart_workers)
            case "beat":
                await asyncio.to_thread(self._restart_beat)
            case "Redis":
                await asyncio.to_thread(self._stack.redis.empty)
            case "connections":
                self._cut_off()

    async def _kill(self, pair: Pair) -> None:
        """Kill one process of a pair, each in turn, once the other one is ready."""
        index = self._next[pair.name]
        self._next[pair.name] = 1 - index
        await asyncio.to_thread(pair.await_ready, 1 - index)
        await asyncio.to_thread(pair.kill, index)
        await asyncio.to_thread(pair.start, index)

    def _restart_workers(self) -> None:
        self._stack.kill_workers("worker", "keeper")
        self._stack.start_worker("worker", "keeper")

    def _restart_beat(self) -> None:
        self._stack.kill_beat()
        self._stack.start_beat()

    def _cut_off(self) -> None:
        for number in self._choose.sample(range(len(self._racers)), ceil(SHARE * len(self._racers))):
            self._racers[number].lose_connection(self._choose.uniform(*OFFLINE))
            self.lost[number] += 1
