"""Rated races that two players shared, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from games.races.models import Race
from leaderboards.models import ProvisionalChange
from leaderboards.ratings.rules import LAST


@dataclass(frozen=True, slots=True)
class RaceMet:
    """Race that both players were in, with their places as rated; None for a disqualified player."""

    room: str
    number: int
    variant: str
    game: str
    finished_at: datetime
    places: tuple[int | None, int | None]


def ranks_in_common(first: int, second: int) -> dict[int, tuple[int, int]]:
    """Return the ranks of both players in each rated race they shared; keyed by race id, latest first."""
    theirs = dict(_ranks(second, also=first))
    return {race: (rank, theirs[race]) for race, rank in _ranks(first, also=second) if race in theirs}


def races_met(ranks: dict[int, tuple[int, int]], limit: int) -> list[tuple[int, RaceMet]]:
    """Return the first `limit` races of `ranks_in_common`, with their ids."""
    latest = list(ranks)[:limit]
    races = Race.objects.filter(pk__in=latest).select_related("room").in_bulk(latest)
    return [(key, _met(races[key], ranks[key])) for key in latest if key in races]


def _ranks(player: int, *, also: int) -> list[tuple[int, int]]:
    with_both = ProvisionalChange.objects.filter(player=also).values("race")
    rows = ProvisionalChange.objects.filter(player=player, race__in=with_both).order_by("-finished_at", "-race_id")
    return list(rows.values_list("race_id", "rank"))


def _met(race: Race, ranks: tuple[int, int]) -> RaceMet:
    first, second = (None if rank == LAST else rank for rank in ranks)
    # A finished race always has `finished_at`.
    return RaceMet(
        race.room.code, race.number, race.variant, race.game, race.finished_at or race.opened_at, (first, second)
    )
