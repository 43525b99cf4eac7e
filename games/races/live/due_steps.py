"""Steps of a room's races and moves of its bots that are due: each process that watches the room tries to take them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from math import inf
from time import monotonic
from typing import Final

from django.utils import timezone

from games.live.loader import off_loop
from games.races import heats, starting
from games.races.bots import moves
from games.races.live.audience import Audience
from games.races.live.snapshot import RaceFacts, RoomFacts
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.starting import GRACE

#: Seconds until a step that is still due is tried again.
TRY_EVERY: Final = 5.0
#: Seconds between the steps of a room that gathers players.
GATHER_EVERY: Final = 1.0
#: Delay of the transition to racing after a start, so that all tables of the process can send the cards first.
CARDS_FIRST: Final = timedelta(milliseconds=200)

_S: Final = Race.State


class DueSteps:
    """The due steps of one room: the gathering of players, the start, absences and the end of its races."""

    def __init__(
        self, audience: Audience, take_steps: Callable[[bool], Awaitable[object]], schedule_read: Callable[[], None]
    ) -> None:
        """`take_steps` takes the steps that are due in all races, or only the starts."""
        self._audience = audience
        self._take_steps = take_steps
        self._schedule_read = schedule_read
        self._tried: dict[datetime, float] = {}
        self._next_gathering = -inf
        self._next_bot_moves: dict[str, float] = {}

    async def take_due_steps(self) -> float:
        """Take the steps that are due, and have the room read again."""
        facts = self._audience.facts
        if due := [at for at in times_due(facts) if not self._wait(at)]:
            is_start = facts.to_come is not None and due == [_after_the_cards(facts.to_come)]
            first = not self._tried.keys() & set(due)
            self._tried = {at: monotonic() for at in due}
            # Usually only starts are due, which take a single statement.
            await self._take_steps(is_start and first)
            self._schedule_read()
        return min((monotonic() + self._wait(at) for at in times_due(facts)), default=inf)

    async def gather(self) -> float:
        """Take the step that depends on the players who are present, every second."""
        step = gathering_step(self._audience.facts)
        if step is None:
            return inf
        if monotonic() >= self._next_gathering:
            self._next_gathering = monotonic() + GATHER_EVERY
            await off_loop(step)()
        return self._next_gathering

    async def play_bots(self) -> float:
        """Play the moves of bots that are due in the running race, and show them."""
        race = self._audience.facts.running
        if race is None or race.state != _S.RACING or not any(entrant.is_bot for entrant in race.entrants):
            return inf
        next_at = self._next_bot_moves.get(race.message.id, -inf)
        if monotonic() >= next_at:
            found = await off_loop(moves.play_due)(self._audience.facts.id)
            next_at = inf if found.next_ms is None else monotonic() + found.next_ms / 1000
            self._next_bot_moves = {race.message.id: next_at}
            for entrant, figures in found.figures.items():
                self._audience.progress.learn(entrant, figures)
        return next_at

    def _wait(self, at: datetime) -> float:
        """Return the seconds until the step due at `at` should be tried or retried."""
        tried = self._tried.get(at)
        return max(0.0, (at - timezone.now()).total_seconds() if tried is None else tried + TRY_EVERY - monotonic())


def gathering_step(facts: RoomFacts) -> Callable[[], object] | None:
    """Return the step of a race that may be due with the players who are present, or None."""
    race = facts.to_come
    if race is None or not race.entrants:
        return None
    if race.state == _S.COUNTDOWN:
        return lambda: starting.look_again(facts.id)
    if facts.kind == Room.Kind.QUICK:
        return lambda: matchmaking.advance_room(facts.id)
    if race.scheduled_at is not None:
        return heats.advance_all if timezone.now() >= race.scheduled_at - heats.FROZEN else None
    return (lambda: starting.start_due(facts.id)) if race.gathers_until else None


def times_due(facts: RoomFacts) -> list[datetime]:
    """Return the times at which steps are due that any process may take."""
    found: list[datetime | None] = []
    if (race := facts.to_come) is not None:
        found.append(_after_the_cards(race))
    if (race := facts.running) is not None and race.state == _S.RACING:
        found.append(race.ends_at)
        if race.starts_at is not None and any(entrant.state == Entrant.State.SEATED for entrant in race.entrants):
            found.append(race.starts_at + GRACE)
    return [at for at in found if at is not None]


def _after_the_cards(race: RaceFacts) -> datetime | None:
    """Return the time at which a watch moves a race in its countdown to racing."""
    return race.starts_at + CARDS_FIRST if race.state == _S.COUNTDOWN and race.starts_at else None
