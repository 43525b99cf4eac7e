"""Races as a control: nobody can know their cards, so they say what a strong game of the day cannot say by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from games.races.models import Entrant, Race

#: Races from so long ago still count.
RECENT: Final = timedelta(days=180)

#: A place on a deal's board, from 1, up to which a won game asks for a race.
TOP: Final = 3

_RACED: Final = (Entrant.State.WON, Entrant.State.RETIRED, Entrant.State.TIMED_OUT)


def is_top_place(rank: int, of: int) -> bool:
    """Whether a place of a won game is worth confirming in a race: among the first, with somebody behind."""
    return rank <= TOP and rank < of


class Run(NamedTuple):
    """How a player did in a race: the place, and how many raced."""

    place: int
    racers: int


def has_raced(player_id: int, game: str, now: datetime | None = None) -> bool:
    """Whether the player has lately run a race of this game against somebody."""
    return _entries(player_id, game, now).exists()


def runs(player_id: int, game: str, now: datetime | None = None) -> list[Run]:
    """The player's latest races of this game that were run against somebody."""
    counted = _entries(player_id, game, now).annotate(
        racers=Count("race__entrants", filter=Q(race__entrants__state__in=_RACED, race__entrants__place__isnull=False))
    )
    rows = counted.values_list("place", "racers")
    return [Run(place, racers) for place, racers in rows if place is not None]


def _entries(player_id: int, game: str, now: datetime | None) -> QuerySet[Entrant]:
    since = (now or timezone.now()) - RECENT
    # Without a place a record is under review, and counts for nothing.
    placed = Entrant.objects.filter(state__in=_RACED, place__isnull=False)
    rivals = placed.filter(race=OuterRef("race")).exclude(pk=OuterRef("pk"))
    return placed.filter(
        Exists(rivals),
        player=player_id,
        as_guest=False,
        race__state=Race.State.FINISHED,
        race__game=game,
        race__finished_at__gte=since,
    )
