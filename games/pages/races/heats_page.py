"""Standings of heats."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.players import player_id
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
        "me": me,
        "day": day,
        "before": day - timedelta(days=1),
        "after": day + timedelta(days=1) if day < today else None,
        "is_today": day == today,
        "tables": [_standing("day", day, me), _standing("week", day, me)],
        "races": rows,
    }
    return render(request, "races/heats.html", context)


def _standing(period: heat_standings.Period, day: date, me: int | None) -> dict[str, Any]:
    """Return the standings of a day or a week; `own` is the visitor's row if it is not among the first."""
    rows = heat_standings.standing(period, day)
    own = None
    if me is not None and not any(row.player_id == me for row in rows):
        own = heat_standings.standing_of(me, period, day)
    return {"period": period, "rows": rows, "own": own}


def _day(text: str | None, today: date) -> date:
    """Return the requested day; today if it is invalid or in the future."""
    try:
        day = date.fromisoformat(text or "")
        heat_standings.span("week", day)
    except ValueError:
        return today
    return min(day, today)
