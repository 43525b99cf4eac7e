"""Podium and hall of fame of the races of the day, over all divisions of a race: they share a deal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, QuerySet

from games.db.players import player_services
from games.presentation import titles
from games.races import heats
from games.races.models import Entrant
from games.races.results.heat_standings import has_won, listed, removed

#: Number of past days whose winners are listed, and of players with the most wins.
DAYS: Final = 14
MOST_WINS: Final = 10
#: Number of places on a podium.
PODIUM: Final = 3
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Finisher:
    """A player with a page on the podium of a race of the day."""

    name: str
    page: UUID
    cards_up: int
    elapsed_ms: int
    starts_at: datetime
    variant: str
    code: str

    @property
    def has_page(self) -> bool:
        """True: only players with a page are listed."""
        return True

    def __str__(self) -> str:
        return self.name


def next_race(now: datetime) -> dict[str, Any]:
    """Return the next race of the day: its game, its start, the time the doors open, and whether they are open."""
    return _announcement(heats.next_start(now, heats.RACE_OF_THE_DAY), now)


def open_or_next_race(now: datetime) -> dict[str, Any]:
    """Return the heat whose doors are open or, without one, the next race of the day."""
    heat = _announcement(heats.next_start(now), now)
    return heat if heat["is_open"] else next_race(now)


def _announcement(starts_at: datetime, now: datetime) -> dict[str, Any]:
    doors_at = starts_at - heats.DOORS
    return {
        "title": titles.VARIANT_TITLES[heats.variant_at(starts_at)],
        "starts_at": starts_at,
        "doors_at": doors_at,
        "is_open": now >= doors_at,
        "is_daily": starts_at.hour in heats.RACE_OF_THE_DAY,
    }


def last_podium(now: datetime) -> tuple[list[Finisher], int]:
    """Return the podium of the last race of the day with a listed player, and how many racers were removed from it."""
    rows = _of_days(now.date() - DAYS * _DAY, now)
    latest = rows.order_by("-race__scheduled_at").values_list("race__scheduled_at", flat=True).first()
    ranked = sorted(rows.filter(race__scheduled_at=latest), key=lambda row: (row.score.key, row.pk))
    return _finishers(ranked[:PODIUM]), removed().filter(race__scheduled_at=latest).count()


def winners(now: datetime) -> list[Finisher]:
    """Return the winners of the last two weeks, latest first."""
    won = _of_days(now.date() - DAYS * _DAY, now).filter(has_won())
    return _finishers(won.order_by("-race__scheduled_at", "race__division", "pk"))


def most_wins(first: date, now: datetime) -> list[tuple[str, UUID, int]]:
    """Return the names, page ids and wins of the players with the most races of the day won since `first`."""
    won = _of_days(first, now).filter(has_won()).values("player").annotate(wins=Count("pk"))
    rows = won.order_by("-wins", "player").values_list("player", "wins")[:MOST_WINS]
    names = player_services().names_on_pages([player for player, _wins in rows])
    return [(*names[player], wins) for player, wins in rows if player in names]


def _of_days(first: date, now: datetime) -> QuerySet[Entrant]:
    """Return the listed entrants of the races of the day from `first` to today."""
    starts = heats.races_of_the_day(first, now.date() + _DAY)
    return listed().filter(race__scheduled_at__in=starts).select_related("race__room")


def _finishers(rows: Iterable[Entrant]) -> list[Finisher]:
    rows = list(rows)
    names = player_services().names_on_pages([row.player_id for row in rows if row.player_id is not None])
    return [
        Finisher(
            *names[row.player_id],
            cards_up=row.cards_up or 0,
            elapsed_ms=row.elapsed_ms or 0,
            starts_at=row.race.scheduled_at,
            variant=row.race.variant,
            code=row.race.room.code,
        )
        for row in rows
        if row.player_id in names and row.race.scheduled_at is not None
    ]
