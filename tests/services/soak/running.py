"""Run of a soak from start to end: stack, players, blows, then the checks."""

from __future__ import annotations

import asyncio
import hashlib
import random
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.servers import eventually
from games.rules import CATALOGUE
from tests.services.soak.breaking import Breaker, plan
from tests.services.soak.checking import Game, Kept, find_faults, find_race_faults
from tests.services.soak.checking import Outcome as RaceOutcome
from tests.services.soak.life import Person
from tests.services.soak.races import Races
from tests.services.soak.tables import Plan, Table
from tests.services.stack import Stack

Say = Callable[[str], None]
REPORT_EVERY = 5.0  # s
SETTLED_WITHIN = 240.0  # s: the sweep finds a lost attempt within 90, and again within 120 more
DATABASE_BACK_WITHIN = 60.0  # s: a crash, a recovery, and the pool's pause before it reconnects
#: Games of a player until a new player takes the place.
GAMES_EACH = 3


@dataclass(frozen=True)
class Wish:
    """Parameters of a soak."""

    seconds: float
    seed: int
    players: int


@dataclass
class Outcome:
    """What happened, and what was wrong."""

    games: list[Game] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    blows: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    races: Counter[str] = field(default_factory=Counter)
    """Number of races by final state, such as finished or void."""
    faults: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Number of acknowledged tokens."""
        return sum(len(game.acknowledged) for game in self.games)


def soak(wish: Wish, home: Path, say: Say) -> Outcome:
    """Run a soak in the empty directory `home`."""
    stack = Stack(home)
    try:
        say("starting PostgreSQL, Redis, two web processes, two of tables, workers and beat")
        stack.start()
        stack.start_beat()
        return _Soak(wish, stack, say).run()
    finally:
        stack.stop()


class _Soak:
    def __init__(self, wish: Wish, stack: Stack, say: Say) -> None:
        self._wish, self._stack, self._say = wish, stack, say
        self._control = Control(stack)
        self._outcome = Outcome()
        self._breaker = Breaker(stack, plan(wish.seed, wish.seconds))
        self._people: list[Person] = []
        self._is_over = False
        self._races = Races(
            wish.seed,
            self._control,
            self._person,
            self._outcome.tally,
            self._outcome.games,
            held=[],
            complaints=self._outcome.faults,
            goes_on=self._goes_on,
        )

    def run(self) -> Outcome:
        wish, stack, control, outcome = self._wish, self._stack, self._control, self._outcome
        deals = [self._deal(variant) for variant in CATALOGUE]
        self._say(f"{wish.players} players for {wish.seconds:.0f} s")
        asyncio.run(self._play(deals))
        stopped = stack.ended()
        stack.mend()
        left = control.ask("expire")
        control.ask("call_time")
        self._say(f"{left} games were left; waiting for every verdict")
        _settle(control)
        kept = [Kept(**one) for one in control.ask("kept")]
        outcome.verdicts.update(one.state for one in kept)
        faults = outcome.faults
        faults += find_faults(outcome.games, kept)
        faults += [f"deal {deal}: {fault}" for deal in deals for fault in control.ask("faults", deal=deal)]
        faults += control.ask("season_faults")
        faults += self._race_faults(kept)
        faults += [complaint for person in self._people for complaint in person.complaints]
        faults += [f"{name} ended by itself" for name in {*stopped, *stack.ended()}]
        outcome.blows = self._breaker.dealt
        if self._breaker.failed is not None:
            faults.append(f"not every blow could be dealt: {self._breaker.failed!r}")
        return outcome

    def _race_faults(self, kept: list[Kept]) -> list[str]:
        found = []
        for heat in self._races.held:
            outcomes = [RaceOutcome(**self._control.ask("outcome", race=race)) for race in heat]
            self._outcome.races.update(outcome.state for outcome in outcomes)
            for outcome in outcomes:
                of_race = find_race_faults(self._outcome.games, kept, outcome)
                found += [f"race {outcome.id}: {fault}" for fault in of_race]
        return found

    def _deal(self, variant: str) -> int:
        seed = hashlib.sha256(f"{self._wish.seed} {variant}".encode()).hexdigest()
        self._secrets = {*getattr(self, "_secrets", ()), seed, b64encode(bytes.fromhex(seed)).decode().rstrip("=")}
        return int(self._control.ask("deal", variant=variant, seed=seed))

    def _person(self, number: int) -> Person:
        wish = self._wish
        person = Person(
            number,
            wish.seed,
            ports=self._stack.sockets,
            weather=self._breaker,
            tally=self._outcome.tally,
        )
        self._people.append(person)
        return person

    async def _play(self, deals: list[int]) -> None:
        start = time.monotonic()
        self._breaker.start()
        async with asyncio.TaskGroup() as playing:
            for number in range(self._wish.players):
                playing.create_task(self._play_dailies(number, deals))
            playing.create_task(self._races.hold())
            while (elapsed := time.monotonic() - start) < self._wish.seconds:
                await asyncio.sleep(min(REPORT_EVERY, self._wish.seconds - elapsed))
                self._say(self._progress(time.monotonic() - start))
            self._is_over = True
        await asyncio.to_thread(self._breaker.join)

    def _goes_on(self) -> bool:
        return not self._is_over

    async def _play_dailies(self, number: int, deals: list[int]) -> None:
        """Play one deal after the other as one player; then become a new one."""
        choose = random.Random(f"player {self._wish.seed} {number}")
        person = self._person(number)
        async with person.living():
            first, player, games = 0, "", 0
            while self._goes_on():
                if games % GAMES_EACH == 0:
                    first, player = choose.randrange(len(deals)), ""
                deal = deals[(first + games) % len(deals)]
                seat = await asyncio.to_thread(self._control.ask, "seat", deal=deal, player=player)
                player, games = seat["player"], games + 1
                self._outcome.games.append(game := Game(seat["attempt"]))
                what = Plan(choose.randrange(3, 60), "resigned" if choose.random() < 0.9 else "")
                table = Table(person, seat["session"], game, what, choose, secrets=self._secrets)
                await table.play(self._goes_on, self._outcome.tally)

    def _progress(self, elapsed: float) -> str:
        outcome, dealt = self._outcome, self._breaker.dealt
        blows = ", ".join(f"{kind} {times}" for kind, times in sorted(dealt.items())) or "none"
        return f"{elapsed:4.0f} s  {len(outcome.games)} games, {outcome.tokens} tokens acknowledged, blows: {blows}"


class Control:
    """Thread-safe access to the stack's control process, with retries while the database is away."""

    def __init__(self, stack: Stack) -> None:
        self._stack, self._lock = stack, threading.Lock()

    def ask(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command, retrying while the database is away."""
        latest = time.monotonic() + DATABASE_BACK_WITHIN
        while True:
            try:
                return self.ask_once(what, **arguments)
            except AssertionError:
                if time.monotonic() > latest:
                    raise
                time.sleep(0.2)

    def ask_once(self, what: str, **arguments: Any) -> Any:
        """Return the answer to a command that must not run twice.

        :raises AssertionError: when it failed.
        """
        with self._lock:
            return self._stack.ask(what, **arguments)


def _settle(control: Control) -> None:
    """Wait for every verdict and every sum, up to a limit; the checks report what is missing then."""

    def settled() -> bool:
        return bool(control.ask("unsettled") == control.ask("marked") == control.ask("unfinished") == 0)

    try:
        eventually(settled, within=SETTLED_WITHIN, every=2)
    except TimeoutError:
        return
