"""A race of the day with simulated racers and spectators, from the open doors to the result, and its faults."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from deploy.servers import eventually
from tests.services.racing.checking import Outcome, find_faults
from tests.services.racing.day_checking import Day, find_day_faults
from tests.services.racing.entering import take_seat
from tests.services.racing.racers import FAST, Gate, Plan, Racer, peeps
from tests.services.racing.trouble import FULL, SHORT, Schedule, Trouble
from tests.services.racing.watching import WITHIN, Client, Watcher, until
from tests.services.soak.running import Control
from tests.services.stack import Stack

#: Spectators of each division.
SPECTATORS = 6
#: Every this many players, one has a verified daily game, and so counts for the points of those ahead.
VETERANS = 3
#: Most seconds for all racers to reach their tables and for a process to die before the deal, and s to spare for that.
COUNTDOWN, SPARE = 40, 5
#: Seconds before the start at which the service divides the players.
FROZEN = 15
#: Most tokens that a racer plays before a process has died during the race.
GATE = 30


@dataclass(frozen=True)
class Wish:
    """Parameters of a meeting. A `scheduled` race is started and divided by the service alone, on its schedule."""

    players: int
    variant: str
    seed: bytes
    line: tuple[str, ...]
    faults: Schedule = SHORT
    scheduled: bool = False
    pace: tuple[float, float] = FAST

    @classmethod
    def gathering(cls, players: int, variant: str, seed: bytes, line: tuple[str, ...]) -> Wish:
        """Return the parameters of many players at a human pace, under all faults."""
        return cls(players, variant, seed, line, FULL, scheduled=True, pace=(0.5, 1.3))


def plans(line: tuple[str, ...], players: int, choose: random.Random) -> list[Plan]:
    """Return plans for all racers: of 16, six win, five resign and five run out of time, two of them disconnected.

    Those who do not win play parts of the line of different lengths.
    """

    def part(number: int) -> tuple[str, ...]:
        return line[: 5 + 11 * number % (len(line) - 10)]

    losers = players * 5 // 16
    quitters = [Plan(part(number), "resigned") for number in range(losers)]
    slow = [Plan(part(number), "closed", leaves=number % 5 < 2) for number in range(losers)]
    winners = [Plan(line, "won")] * (players - 2 * losers)
    return choose.sample(mixed := [*winners, *quitters, *slow], len(mixed))


class Meeting:
    """A race of the day with its racers and spectators, and the faults dealt to it."""

    def __init__(self, stack: Stack, wish: Wish, choose: random.Random) -> None:
        self._stack, self._wish = stack, wish
        self._control = Control(stack)
        found = self._control.ask("heat", variant=wish.variant, seed=wish.seed.hex())
        self._race, code = found["race"], found["code"]
        self.divisions: list[int] = []
        self._gate = Gate(GATE)
        accounts = self._control.ask("accounts", count=wish.players, veterans=wish.players // VETERANS)
        self._veterans = {account["player"] for account in accounts if account["veteran"]}
        self.racers = [
            self._racer(number, code, account["session"], plan)
            for number, (account, plan) in enumerate(
                zip(accounts, plans(wish.line, wish.players, choose), strict=True), SPECTATORS
            )
        ]
        self.spectators = [Watcher(number, stack.sockets, code) for number in range(SPECTATORS)]
        self._watching: list[asyncio.Task[None]] = []
        self.trouble = Trouble(stack, self.racers, choose)

    def _racer(self, number: int, code: str, session: str, plan: Plan) -> Racer:
        room = Watcher(number, self._stack.sockets, code, session)
        table = Client(number + self._wish.players, self._stack.sockets, session)
        return Racer(room, table, plan, self._gate, self._wish.pace)

    @property
    def viewers(self) -> list[Watcher]:
        return [*self.spectators, *(racer.room for racer in self.racers)]

    @property
    def acknowledged(self) -> int:
        """Number of acknowledged moves."""
        return sum(len(racer.acknowledged) for racer in self.racers)

    async def hold(self) -> None:
        """Run the race from the first spectator to the result on every screen."""
        self._watch(self.viewers)
        try:
            await until(lambda: all(viewer.room for viewer in self.viewers))
            tending = asyncio.create_task(self._await_beat())
            seconds = await self._gather()
            racing = asyncio.gather(*(racer.race() for racer in self.racers))
            await self._divide(seconds)
            await self._break_the_countdown()
            await self._break_the_race()
            await self._run_out(racing)
            await self._settle()
            await tending
        finally:
            for task in self._watching:
                task.cancel()
            await asyncio.gather(*self._watching, return_exceptions=True)

    def faults(self) -> list[str]:
        """Return the faults of the divisions and of the whole race of the day."""
        outcomes = [self._outcome(race) for race in self.divisions]
        found = []
        for number, outcome in enumerate(outcomes, 1):
            attempts = {entrant["attempt"] for entrant in outcome.entrants}
            racers = [racer for racer in self.racers if racer.attempt in attempts]
            codes = {racer.room.code for racer in racers}
            spectators = [viewer for viewer in self.spectators if viewer.code in codes]
            of_race = find_faults(racers, spectators, outcome, self._wish.seed)
            found += [f"division {number}: {fault}" for fault in of_race]
        if (placed := sum(len(outcome.entrants) for outcome in outcomes)) != len(self.racers):
            found.append(f"{placed} of {len(self.racers)} players are in a division")
        day = Day(**self._control.ask("day_results", race=self._race))
        return found + find_day_faults(outcomes, day, self._veterans)

    def _outcome(self, race: int) -> Outcome:
        return Outcome(**self._control.ask("outcome", race=race))

    def _watch(self, viewers: list[Watcher]) -> None:
        self._watching += [asyncio.create_task(viewer.watch()) for viewer in viewers]

    async def _ask(self, what: str, **arguments: Any) -> Any:
        return await asyncio.to_thread(self._control.ask, what, race=self._race, **arguments)

    async def _await_beat(self) -> None:
        """Wait until beat and the keeper have looked after races: they close a forsaken room."""
        room = await asyncio.to_thread(self._control.ask, "forsaken_room")
        is_closed = partial(self._control.ask, "is_closed", room=room)
        await asyncio.to_thread(eventually, is_closed, within=WITHIN, every=0.2)

    async def _gather(self) -> float:
        """Seat all racers, ready to race; return how long that took."""

        async def enter(room: Watcher) -> None:
            await take_seat(room, self._stack.ports)
            await until(lambda: room.you.get("to_come"))
            await room.say({"type": "ready", "ready": True}, lambda: room.lane()[3:4] == ["ready"])

        begun = time.monotonic()
        entering = asyncio.gather(*(enter(racer.room) for racer in self.racers))
        await self.trouble.deal(*self._wish.faults.gathering)
        await entering
        return time.monotonic() - begun

    async def _divide(self, seconds: float) -> None:
        """Have the race start, and show further divisions to spectators of their own."""
        if self._wish.scheduled:
            await self._ask("schedule", seconds=FROZEN + 2)
            await asyncio.sleep(1.5)
            await self.trouble.deal(*self._wish.faults.division)
        else:
            # Estimate the time they need to reach their tables from the time they needed to sit.
            await self._ask("schedule", seconds=min(COUNTDOWN, 10 + 2 * seconds), at_once=True)
        await until(lambda: any(racer.room.you.get("table") for racer in self.racers))
        self.divisions = await self._ask("divisions")
        codes = await self._ask("codes")
        first = SPECTATORS + 2 * len(self.racers)
        others = [
            Watcher(first + number, self._stack.sockets, code)
            for number, code in enumerate(code for code in codes[1:] for _ in range(SPECTATORS))
        ]
        self.spectators += others
        self._watch(others)

    async def _break_the_countdown(self) -> None:
        """Deal faults while all are at their tables and no cards are dealt."""
        starts_at = (await self._ask("outcome"))["starts_at"]
        await until(lambda: all(racer.is_waiting for racer in self.racers) or time.time() > starts_at - SPARE)
        assert any(racer.table.port == self._stack.sockets[0] for racer in self.racers)
        assert (await self._ask("outcome"))["state"] == "countdown"
        await self.trouble.deal(*self._wish.faults.countdown)
        assert not any(racer.n for racer in self.racers)

    async def _break_the_race(self) -> None:
        """Deal faults while all are playing."""
        await until(lambda: all(len(racer.acknowledged) >= 5 for racer in self.racers))
        assert await peeps(self.racers[1], self.racers[0]) == "not_yours"
        await self.trouble.deal(*self._wish.faults.racing)
        assert not any(racer.ended for racer in self.racers)
        self._gate.opened.set()

    async def _run_out(self, racing: asyncio.Future[list[None]]) -> None:
        """Wait until all racers are done, and end the race for those out of time."""

        def is_done(racer: Racer) -> bool:
            return racer.n == len(racer.plan.tokens) if racer.plan.end == "closed" else bool(racer.ended)

        done = asyncio.ensure_future(until(lambda: all(is_done(racer) for racer in self.racers)))
        await self.trouble.repeat(self._wish.faults.meanwhile, done)
        await done
        for race in self.divisions:
            await asyncio.to_thread(self._control.ask, "call_time", race=race)
        await self.trouble.deal(*self._wish.faults.settling)
        await asyncio.wait_for(racing, WITHIN)

    async def _settle(self) -> None:
        def is_over(viewer: Watcher) -> bool:
            last = (viewer.room or {}).get("last")
            return bool(last and last["state"] == "finished")

        def is_rated(race: int) -> bool:
            return bool(self._outcome(race).rating_changes)

        await until(lambda: all(is_over(viewer) for viewer in self.viewers))
        for race in self.divisions:
            await asyncio.to_thread(eventually, partial(is_rated, race), within=WITHIN, every=0.2)
