"""A scheduled race of whose players a third sleep, hide or drop out before it: those present race, and no one else."""

from __future__ import annotations

import asyncio
import random
import time
import urllib.request
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from deploy.servers import eventually
from games.rules import CATALOGUE
from tests.rules.winning import winning_lines
from tests.services.soak.checking import Game, Kept, Outcome, find_faults, find_race_faults
from tests.services.soak.life import Person
from tests.services.soak.races import Room
from tests.services.soak.tables import Plan, Table
from tests.services.sockets import until
from tests.services.stack import Stack

#: Seconds from the roll call to the start, and from the last seat taken to the roll call.
COUNTDOWN, WAIT = 15.0, 14.0
#: Seconds after the start for which players play, and within which all verdicts and ratings must be there.
PLAY, SETTLED_WITHIN = 15.0, 120.0
#: Most players of a division.
DIVISION: Final = 16
#: Notice on the next page of a player who missed a race.
NOTICE: Final = "You missed a race"


@dataclass(frozen=True)
class Fate:
    """Mishap of a player: its start in seconds after the roll call, its length, and if the player still races."""

    kind: str
    at: float
    seconds: float
    races: bool = True


#: A third of the players, in turn.
FATES: Final = (
    Fate("asleep", -12, 32, races=False),
    Fate("hidden", -12, 32),
    Fate("network cut", -12, 7),
    Fate("network lost", -12, 32, races=False),
    Fate("asleep", -12, 7),
    Fate("network cut", -12, 32, races=False),
)
#: A ninth of the players lose the network during the race.
LATER: Final = Fate("network lost", COUNTDOWN + 3, 4)


@dataclass
class Racer:
    """A player of the race, and what they were shown."""

    player: str
    session: str
    fate: Fate | None
    room: Room
    game: Game | None = None


@dataclass
class Attended:
    """Result of a heat: its mishaps and its faults."""

    fates: Counter[str] = field(default_factory=Counter)
    sizes: list[int] = field(default_factory=list)
    """Players of each division."""
    tokens: int = 0
    faults: list[str] = field(default_factory=list)


class _CalmWeather:
    is_fair = True


class AttendedHeat:
    """A heat on a running stack."""

    def __init__(self, stack: Stack, players: int, seed: int) -> None:
        self._stack, self._seed = stack, seed
        self._choose = random.Random(f"heat {seed}")
        self._tally: Counter[str] = Counter()
        self._complaints: list[str] = []
        variant = self._choose.choice(list(CATALOGUE))
        deal, self._line = self._choose.choice(list(winning_lines(variant)))
        secrets = frozenset({deal.hex(), b64encode(deal).decode().rstrip("=")})
        opened = stack.ask("open_heat", variant=variant, seed=deal.hex(), count=players, seconds=3600)
        self._race, code = opened["race"], opened["code"]
        self._racers = [
            Racer(player, session, _fate(number), self._room(number, session, code, secrets))
            for number, (player, session) in enumerate(zip(opened["players"], opened["sessions"], strict=True))
        ]

    def hold(self) -> Attended:
        """Hold the race, and compare what the service stores with what the players did and saw."""
        asyncio.run(self._play())
        stack = self._stack
        stack.ask("call_time")
        races = stack.ask("divisions", race=self._race)
        eventually(lambda: stack.ask("tend", races=races), within=SETTLED_WITHIN, every=1)
        outcomes = [Outcome(**stack.ask("outcome", race=race)) for race in races]
        kept, games = [Kept(**one) for one in stack.ask("kept")], [one.game for one in self._racers if one.game]
        faults = [*self._complaints, *find_faults(games, [one for one in kept if one.for_race])]
        faults += [complaint for racer in self._racers for complaint in racer.room.person.complaints]
        for outcome in outcomes:
            faults += [f"race {outcome.id}: {fault}" for fault in find_race_faults(games, kept, outcome)]
        faults += self._find_faults(outcomes)
        return Attended(
            Counter(racer.fate.kind for racer in self._racers if racer.fate),
            [len(_present(outcome)) for outcome in outcomes],
            sum(len(game.acknowledged) for game in games),
            faults,
        )

    def _room(self, number: int, session: str, code: str, secrets: frozenset[str]) -> Room:
        sockets = self._stack.sockets
        person = Person(number, self._seed, ports=sockets, weather=_CalmWeather(), tally=self._tally)
        return Room(person, session, code, secrets, self._complaints, wants_seat=True)

    async def _play(self) -> None:
        with ExitStack() as networks:
            for racer in self._racers:
                networks.enter_context(racer.room.person.online())
                await asyncio.to_thread(self._page, racer, f"/races/{racer.room.code}/")
            watching = [asyncio.create_task(racer.room.watch()) for racer in self._racers]
            try:
                await until(lambda: all(racer.room.entrant for racer in self._racers))
                called_at = await asyncio.to_thread(
                    self._stack.ask, "schedule", race=self._race, seconds=WAIT + COUNTDOWN
                )
                await asyncio.gather(*(self._live(racer, called_at) for racer in self._racers))
            finally:
                for task in watching:
                    task.cancel()
                await asyncio.gather(*watching, return_exceptions=True)

    async def _live(self, racer: Racer, called_at: float) -> None:
        """Wait for the race, and play if there is a table."""
        room, ends_at = racer.room, called_at + COUNTDOWN + PLAY
        suffering = asyncio.create_task(_suffer(racer, called_at))
        await until(lambda: room.table or time.time() > ends_at)
        if room.table:
            racer.game = game = Game(room.table.rstrip("/").rsplit("/", 1)[1])
            part = self._line[: self._choose.randrange(5, 25)]
            plan = Plan(len(part), "resigned" if self._choose.random() < 0.8 else "", part)
            table = Table(room.person, racer.session, game, plan, self._choose, secrets=room.secrets)
            await table.play(lambda: time.time() < ends_at, self._tally)
        await suffering
        await until(lambda: room.shown["running"] or room.shown["last"])

    def _find_faults(self, outcomes: Sequence[Outcome]) -> Iterator[str]:
        """Yield faults in the seats, the divisions and the notices of the others."""
        entries = {one["player"]: (one, outcome) for outcome in outcomes for one in outcome.entrants}
        sizes = [len(_present(outcome)) for outcome in outcomes]
        if max(sizes) > DIVISION or max(sizes) - min(sizes) > 1:
            yield f"the divisions are of {sizes}"
        yield from (f"race {one.id} is {one.state}" for one in outcomes if one.state != "finished")
        if strangers := entries.keys() - {racer.player for racer in self._racers}:
            yield f"strangers raced: {strangers}"
        for racer in self._racers:
            entrant, outcome = entries[racer.player]
            who = f"player {racer.room.person.number} ({racer.fate})"
            is_told = NOTICE in self._page(racer, "/")
            if racer.fate is None or racer.fate.races:
                if entrant["state"] == "absent" or racer.game is None or not racer.game.dealt_at:
                    yield f"{who}: lost the seat and is {entrant['state']}"
                if is_told:
                    yield f"{who}: is told of having missed the race"
                continue
            if entrant["state"] != "absent" or entrant["attempt"] or racer.game or entrant["place"] is not None:
                yield f"{who}: is {entrant}"
            if entrant["id"] in outcome.rating_changes:
                yield f"{who}: the rating has changed"
            if not is_told:
                yield f"{who}: is not told of having missed the race"

    def _page(self, racer: Racer, path: str) -> str:
        url = f"http://127.0.0.1:{self._stack.ports[0]}{path}"
        request = urllib.request.Request(url, headers={"Cookie": f"sessionid={racer.session}"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(response.read().decode())


async def _suffer(racer: Racer, called_at: float) -> None:
    if racer.fate is not None:
        await asyncio.sleep(max(0.0, called_at + racer.fate.at - time.time()))
        await racer.room.person.suffer(racer.fate.kind, racer.fate.seconds)


def _present(outcome: Outcome) -> list[int]:
    return [one["id"] for one in outcome.entrants if one["state"] != "absent"]


def _fate(number: int) -> Fate | None:
    """Return the fate of a player; a third of them have one, and a ninth lose the network during the race."""
    turn, kind = divmod(number, 3)
    if kind == 0:
        return FATES[turn % len(FATES)]
    return LATER if kind == 1 and turn % 3 == 0 else None
