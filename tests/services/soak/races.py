"""Races during the soak: one at a time, each on a deal that can be won, until the players stop."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from games.rules import CATALOGUE
from tests.rules.winning import winning_lines
from tests.services.racing.checking import Outcome, find_survivors_faults
from tests.services.racing.racers import Gate, Plan, Racer
from tests.services.racing.watching import Client, Watcher

RACERS = 4
COUNTDOWN = 4  # s
FIRST_NUMBER = 20_000  # keeps the racers' addresses apart from the players'


class Control(Protocol):
    """Interface of the stack's control process."""

    def ask(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command, retrying if needed."""

    def ask_once(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command, or raise an AssertionError."""


@dataclass
class Held:
    id: int
    racers: list[Racer]
    seed: bytes


@dataclass
class Races:
    """Holds races; each deal is raced only once."""

    seed: int
    ports: list[int]
    control: Control
    held: list[Held] = field(default_factory=list)
    _outcomes: dict[int, Outcome] = field(default_factory=dict)

    async def hold(self) -> None:
        """Hold races in sequence, until cancelled or out of deals."""
        choose = random.Random(f"races {self.seed}")
        deals = [(variant, *won) for variant in CATALOGUE for won in winning_lines(variant)]
        choose.shuffle(deals)
        for variant, seed, line in deals:
            with suppress(AssertionError):  # the database is away: go on with another race
                await self._hold(variant, seed, line, choose)

    async def _hold(self, variant: str, seed: bytes, line: tuple[str, ...], choose: random.Random) -> None:
        found = await asyncio.to_thread(
            self.control.ask_once, "race_soon", variant=variant, seed=seed.hex(), count=RACERS, seconds=COUNTDOWN
        )
        racers = [
            self._racer(found["code"], session, _plan(line, choose), number)
            for number, session in enumerate(found["sessions"], FIRST_NUMBER + 2 * RACERS * len(self.held))
        ]
        self.held.append(Held(found["race"], racers, seed))
        watching = [asyncio.create_task(racer.room.watch()) for racer in racers]
        try:
            with suppress(TimeoutError):  # the race became void before its racers reached their tables
                await asyncio.gather(*(racer.race() for racer in racers))
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)

    def _racer(self, code: str, session: str, plan: Plan, number: int) -> Racer:
        gate = Gate(len(plan.tokens))
        gate.opened.set()
        room, table = Watcher(number, self.ports, code, session), Client(number + RACERS, self.ports, session)
        return Racer(room, table, plan, gate)

    def faults(self) -> list[str]:
        found = []
        for one in self.held:
            outcome = self._outcomes[one.id] = Outcome(**self.control.ask("outcome", race=one.id))
            found += [f"race {one.id}: {fault}" for fault in find_survivors_faults(one.racers, outcome, one.seed)]
        return found

    def states(self) -> Counter[str]:
        return Counter(outcome.state for outcome in self._outcomes.values())


def _plan(line: tuple[str, ...], choose: random.Random) -> Plan:
    """Return a plan: most racers resign along the way, one in four plays on until the game is won."""
    if choose.random() < 0.25:
        return Plan(line, "won")
    return Plan(line[: choose.randrange(5, 40)], "resigned")
