"""Rooms and races on a clock set by the test, advanced step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Self

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt
from games.bots.game_plan import GamePlan
from games.core.errors import ErrorCode, Refusal
from games.models import Attempt, Deal, Move
from games.races import reconciler, rooms, seats, starting
from games.races.bots import planning
from games.races.models import Entrant, Race, Room
from games.rules import Record, open_table
from leaderboards.verdicts.settlement import settle
from tests.factories import won_records

T0 = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
VARIANT = "stonewall"
LIMIT_S = 300


def at(seconds: float) -> datetime:
    """Return the time this many seconds after the start of the test."""
    return T0 + timedelta(seconds=seconds)


def refused(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(Refusal) as refusal:
        act()
    return refusal.value.code


@cache
def winning() -> Record:
    return min(won_records(VARIANT), key=lambda record: len(record.tokens))


@cache
def goal() -> int:
    """Return the number of cards up at a win."""
    return open_table(VARIANT, winning().seed).goal


def times(tokens: Sequence[str], first_ms: int = 1_000, pace_ms: int = 400) -> list[int]:
    gaps = [pace_ms * (50 + (n * 37) % 101) // 100 for n in range(len(tokens))]
    return [first_ms + sum(gaps[: n + 1]) for n in range(len(tokens))]


@dataclass
class Run:
    """A room and its players in order; the first is the host."""

    room: Room
    players: list[User] = field(default_factory=list)

    @classmethod
    def of(cls, count: int, *, name: str = VARIANT, players: Sequence[User] = (), **settings: Any) -> Self:
        """Create a room with these players, by default `count` new guests, in the seats."""
        seated = list(players) or [create_guest() for _ in range(max(1, count))]
        chosen: dict[str, Any] = {"limit_s": LIMIT_S, "seats": 16, "now": T0, **settings}
        run = cls(rooms.open_room(seated[0], name, **chosen), seated)
        race = run.race
        # Rows instead of calls of `seats`, which take most of the time of many tests.
        Entrant.objects.bulk_create(
            Entrant(race=race, player=player, joined_at=chosen["now"]) for player in seated[:count]
        )
        return run

    @classmethod
    def counting(cls, count: int, **settings: Any) -> Self:
        """Create a room whose race counts down and starts at `at(15)`; all players count as established."""
        run = cls.of(count, **settings)
        starting.start(run.room.pk, now=settings.get("now", T0))
        run.race.entrants.update(standing=Entrant.Standing.ESTABLISHED)
        run.easy()
        return run

    @classmethod
    def racing(cls, count: int, **settings: Any) -> Self:
        """Create a room with a running race."""
        return cls.begun(count, count, **settings)

    @classmethod
    def begun(cls, count: int, dealt: int, **settings: Any) -> Self:
        """Create a room whose race has just begun; the first `dealt` players have seen the cards."""
        run = cls.counting(count, **settings)
        assert starting.start_racing(at(15)) == [run.race.pk]
        assert starting.mark_dealt(run.attempt_ids[:dealt], at(15.1)) == dealt
        return run

    @classmethod
    def ended(cls, *ends: str | None, **settings: Any) -> Self:
        """Create a running race in which each player has `won` by the same line, has `retired`, or plays on (None)."""
        run = cls.racing(len(ends), **settings)
        for place, end in enumerate(ends):
            if end == "won":
                run.play(place)
            elif end == "retired":
                run.resign(place, 20)
        return run

    @property
    def race(self) -> Race:
        return Race.objects.filter(room=self.room).select_related("deal", "room").latest("number")

    @property
    def attempt_ids(self) -> list[int]:
        return [key for key in self.race.entrants.order_by("pk").values_list("attempt", flat=True) if key]

    @property
    def seed(self) -> bytes:
        assert self.race.deal is not None
        return bytes(self.race.deal.seed)

    def easy(self) -> None:
        """Give the race a deal that a stored line wins."""
        Deal.objects.filter(races=self.race).update(seed=winning().seed)

    def sit(self, place: int, second: float = 0) -> Entrant:
        return seats.sit(self.room.pk, self.players[place], now=at(second))

    def host_starts(self, second: float = 0) -> None:
        """Start the race at the command of its host."""
        starting.start(self.room.pk, host_id=self.players[0].pk, now=at(second))

    def stay_except(self, *places: int, second: float = 0) -> None:
        """Close the pages of these players at this time; all others keep theirs open."""
        here, away = at(second) + timedelta(days=1), [self.players[place].pk for place in places]
        self.race.entrants.filter(bot="").update(here_until=here)
        self.race.entrants.filter(player__in=away).update(here_until=at(second))

    def leave(self, place: int, second: float = 0) -> None:
        seats.leave(self.room.pk, self.players[place].pk, at(second))

    def entrant(self, place: int) -> Entrant:
        return Entrant.objects.select_related("attempt").filter(player=self.players[place]).latest("pk")

    def attempt(self, place: int) -> Attempt:
        found = self.entrant(place).attempt
        assert found is not None
        return found

    def play(self, place: int, count: int | None = None, first_ms: int = 1_000) -> None:
        """Play the first tokens of the winning line for a player, by default all."""
        tokens = winning().tokens[:count]
        attempt = self.attempt(place)
        rows = [
            Move(attempt=attempt, n=n, token=token, ms=ms)
            for n, (token, ms) in enumerate(zip(tokens, times(tokens, first_ms), strict=True), 1)
        ]
        Move.objects.bulk_create(rows)
        if count is None:
            close_attempt(attempt.pk, "won", at=at(15 + rows[-1].ms / 1000))

    def resign(self, place: int, second: float) -> None:
        close_attempt(self.attempt(place).pk, "resigned", at=at(second))

    def judge(self) -> Self:
        """Settle all records, and return the race for chaining."""
        for attempt_id in self.attempt_ids:
            settle(attempt_id)
        return self

    def tend(self, second: float) -> None:
        reconciler.reconcile(at(second))

    def states(self) -> str:
        race = self.race
        return " ".join([race.state, *race.entrants.order_by("pk").values_list("state", flat=True)])

    def placed(self) -> list[tuple[str, int | None, int | None]]:
        return list(self.race.entrants.order_by("pk").values_list("state", "place", "points"))


def planned(entrant: Entrant) -> GamePlan:
    """Plan a bot's game without a search, store it before the start, and return it."""
    game = planning.planner(entrant)()
    planning.store(entrant, game, at(0))
    return game
