"""Boards of the day's storms, one of accounts and one of guests, and a player's own storms.

Only runs with the standing `listed` count: a player's first one of a day, of puzzles new to the player.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F, Max, QuerySet, Window
from django.db.models.functions import Rank

from games.db.players import player_services
from games.puzzles.models import StormRun

LISTED: Final = 20
#: Number of days in a player's own list.
RECENT: Final = 10


@dataclass(frozen=True, slots=True)
class StormRow:
    """A player's storm of a day. Equal numbers of solved puzzles share a place. Guests have no page."""

    place: int
    player_id: int
    name: str
    page: UUID
    solved: int


@dataclass(frozen=True, slots=True)
class OwnStorms:
    """A player's storms that count: the latest, each with its day, and the most puzzles solved in one; None without."""

    recent: list[StormRun]
    best: int | None


def board_of(day: date, *, guests: bool = False) -> list[StormRow]:
    """Return the best players of a day: accounts with a page, or guests."""
    place = Window(Rank(), order_by=F("solved").desc())
    ranked = _listed(day, guests=guests).annotate(place=place).order_by("place", "player")[:LISTED]
    players = [row.player_id for row in ranked]
    names = player_services().names_of(players) if guests else player_services().names_on_pages(players)
    return [
        StormRow(row.place, row.player_id, *names[row.player_id], row.solved)
        for row in ranked
        if row.player_id in names
    ]


def place_of(run: StormRun, *, guests: bool) -> int | None:
    """Return the place of a run on its day's board; None if it is not listed, or nothing was solved."""
    if run.standing != StormRun.Standing.LISTED or not run.solved:
        return None
    ahead: int = _listed(run.day, guests=guests).filter(solved__gt=run.solved).count()
    return ahead + 1


def own_storms(player: int) -> OwnStorms:
    """Return a player's storms that count."""
    own = StormRun.objects.filter(player=player, standing=StormRun.Standing.LISTED)
    return OwnStorms(list(own.order_by("-day")[:RECENT]), own.aggregate(best=Max("solved"))["best"])


def _listed(day: date, *, guests: bool) -> QuerySet[Any]:
    users: Any = get_user_model()
    players = users.objects.named() if guests else users.objects.with_page()
    listed = StormRun.objects.filter(day=day, solved__gt=0, standing=StormRun.Standing.LISTED, player__in=players)
    return listed.alias(by_guest=users.objects.guest_at("player")).filter(by_guest=guests)
