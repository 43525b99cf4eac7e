"""Standings of heats."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Self
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.players import player_id
from games.pages.races.race_results_page import ShownRace
from games.races.models import Race, Room
from games.races.results import heat_standings

_LATEST: Final = 12


@require_safe
@never_cache
def heats(request: HttpRequest) -> HttpResponse:
    """Show the latest heats, and the standings of a day and its week; `?day=` selects another day than today."""
    today = timezone.now().date()
    day = _day(request.GET.get("day"), today)
    me = player_id(request)
    finished = Race.objects.filter(room__kind=Room.Kind.HEAT, state=Race.State.FINISHED)
    rows = finished.select_related("room").order_by("-scheduled_at", "division")[:_LATEST]
    context = {
        "day": day,
        "before": day - timedelta(days=1),
        "after": day + timedelta(days=1) if day < today else None,
        "is_today": day == today,
        "tables": [_standing("day", day, me), _standing("week", day, me)],
        "races": [ShownRace.of(race) for race in rows],
    }
    return render(request, "races/heats.html", context)


@dataclass(frozen=True, slots=True)
class Points:
    """A player's place in the heats of a day or a week."""

    place: int
    name: str
    page: UUID
    is_me: bool
    points: int
    heats: int
    wins: int

    @classmethod
    def of(cls, row: heat_standings.HeatStanding, me: int | None) -> Self:
        """Return the visible part of a standing."""
        return cls(row.place, row.name, row.page, row.player_id == me, row.points, row.heats, row.wins)


@dataclass(frozen=True, slots=True)
class PointsTable:
    """Standings of a day or a week. `own` is the visitor's row if it is not among the first."""

    period: str
    rows: list[Points]
    own: Points | None


def _standing(period: heat_standings.Period, day: date, me: int | None) -> PointsTable:
    rows = [Points.of(row, me) for row in heat_standings.standing(period, day)]
    own = None
    if me is not None and not any(row.is_me for row in rows):
        own = heat_standings.standing_of(me, period, day)
    return PointsTable(period, rows, None if own is None else Points.of(own, me))


def _day(text: str | None, today: date) -> date:
    """Return the requested day; today if it is invalid or in the future."""
    try:
        day = date.fromisoformat(text or "")
        heat_standings.span("week", day)
    except ValueError:
        return today
    return min(day, today)
