"""Podium and hall of fame of the races of the day, over all divisions of a race: they share a deal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from games.db.players import player_services
from games.presentation import titles
from games.races import heats
from games.races.models import Entrant, Race

#: Number of past days whose winners are listed, and of players with the most wins.
DAYS: Final = 14
MOST_WINS: Final = 10
#: Number of places on a podium.
PODIUM: Final = 3


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
    starts_at = heats.next_race_of_the_day(now)
    doors_at = starts_at - heats.DOORS
    title = titles.VARIANT_TITLES[heats.variant_at(starts_at)]
    return {"title": title, "starts_at": starts_at, "doors_at": doors_at, "is_open": now >= doors_at}


def podiums(now: datetime) -> list[list[Finisher]]:
    """Return the podiums of the races of the last two weeks, latest first, without races in which no one has a page."""
    today = now.date()
    starts = heats.races_of_the_day(today - timedelta(days=DAYS), today + timedelta(days=1))
    rows = _placed(starts)
    names = player_services().names_on_pages({row.player_id for row in rows if row.player_id is not None})
    found: dict[datetime, list[Finisher]] = {}
    for row in rows:
        starts_at = row.race.scheduled_at
        if starts_at is not None and row.player_id in names and len(found.setdefault(starts_at, [])) < PODIUM:
            name, page = names[row.player_id]
            race = row.race
            found[starts_at].append(
                Finisher(name, page, row.cards_up or 0, row.elapsed_ms or 0, starts_at, race.variant, race.room.code)
            )
    return [found[start] for start in sorted(found, reverse=True)]


def most_wins(first: date, now: datetime) -> list[tuple[str, UUID, int]]:
    """Return the names, page ids and wins of the players with the most races of the day won since `first`."""
    best: dict[datetime, int] = {}
    for row in _placed(heats.races_of_the_day(first, now.date() + timedelta(days=1)), winners=True):
        if row.race.scheduled_at is not None and row.player_id is not None:
            best.setdefault(row.race.scheduled_at, row.player_id)
    wins = Counter(best.values())
    names = player_services().names_on_pages(wins.keys())
    return [(*names[player], won) for player, won in wins.most_common() if player in names][:MOST_WINS]


def _placed(starts: list[datetime], *, winners: bool = False) -> list[Entrant]:
    """Return the winners of these races' divisions, or all on a podium, best first."""
    placed = Entrant.objects.filter(
        race__scheduled_at__in=starts,
        race__state=Race.State.FINISHED,
        place__lte=1 if winners else PODIUM,
        points__gt=0,
    )
    return sorted(placed.select_related("race__room"), key=lambda entrant: (entrant.score.key, entrant.pk))
