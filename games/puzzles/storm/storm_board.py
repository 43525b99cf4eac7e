"""Board of the day's storms, and a player's own best ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F, Max, Window
from django.db.models.functions import Rank

from games.db.players import player_services
from games.puzzles.models import StormRun

LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class StormRow:
    """A player's best storm of a day. Equal numbers of solved puzzles share a place."""

    place: int
    player_id: int
    name: str
    page: UUID
    solved: int


@dataclass(frozen=True, slots=True)
class OwnBest:
    """The most puzzles that a player solved in a storm, on a day and ever; None without a storm."""

    today: int | None
    ever: int | None


def board_of(day: date) -> list[StormRow]:
    """Return the best players of a day. Only players with a page are listed."""
    place = Window(Rank(), order_by=F("best").desc())
    ranked = _best(day).annotate(place=place).order_by("place", "player")[:LISTED]
    names = player_services().names_on_pages([row["player"] for row in ranked])
    return [
        StormRow(row["place"], row["player"], *names[row["player"]], row["best"])
        for row in ranked
        if row["player"] in names
    ]


def place_on(day: date, solved: int) -> int:
    """Return the place of a number of solved puzzles among the players of a day."""
    ahead: int = _best(day).filter(best__gt=solved).count()
    return ahead + 1


def own_best(player: int, day: date) -> OwnBest:
    """Return a player's best storms, outside races."""
    own = StormRun.objects.filter(player=player, begun_at__isnull=False, for_race=False)
    best = Max("solved")
    return OwnBest(own.filter(day=day).aggregate(best=best)["best"], own.aggregate(best=best)["best"])


def _best(day: date) -> Any:  # noqa: ANN401 - rows with annotations
    """Return the most puzzles that each player with a page solved in a storm of a day, outside races."""
    users: Any = get_user_model()
    solved = StormRun.objects.filter(day=day, solved__gt=0, for_race=False, player__in=users.objects.with_page())
    return solved.values("player").annotate(best=Max("solved")).order_by()
