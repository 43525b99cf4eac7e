"""Standings of the heats of a day or week, the places of listed players, and a player's race history.

They are computed from the entrants at each read, so a moderation decision that changes a place shows up at once. Guests
and removed players are not listed, and those behind them move up. A lifted ban brings a player back.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum, Window
from django.db.models.functions import Rank

from games.db.players import player_services
from games.races.models import Entrant, Race

Period = Literal["day", "week"]
PAGE: Final = 50
#: Range of valid days, with room for the whole week around any of them.
_FIRST: Final = date(2000, 1, 1)
_LAST: Final = date(9000, 1, 1)


@dataclass(frozen=True, slots=True)
class HeatStanding:
    """A player's row in the standings of a day or week; equal points share a place."""

    place: int
    player_id: int
    name: str
    page: UUID
    points: int
    heats: int
    wins: int


def span(period: Period, day: date) -> tuple[date, date]:
    """Return the first day of the period that contains `day`, and the first day after it. Weeks are ISO 8601 weeks.

    :raises ValueError: for a day outside the valid range.
    """
    if not _FIRST <= day < _LAST:
        raise ValueError("there are no races this early or late")
    first = day if period == "day" else day - timedelta(days=day.weekday())
    return first, first + timedelta(days=1 if period == "day" else 7)


def standing(
    period: Period, day: date, *, limit: int = PAGE, after: int = 0, starts: Collection[datetime] | None = None
) -> list[HeatStanding]:
    """Return the standings of the day or of its week, skipping the first `after` players.

    `starts` selects some of the heats. Only players with a page are listed.
    """
    place = Window(Rank(), order_by=F("points").desc())
    ranked = _scored(period, day, starts).annotate(place=place).order_by("place", "player")
    rows = ranked[after : after + limit]
    names = player_services().names_on_pages([row["player"] for row in rows])
    return [
        HeatStanding(row["place"], row["player"], *names[row["player"]], row["points"], row["heats"], row["wins"])
        for row in rows
        if row["player"] in names
    ]


def standing_of(player_id: int, period: Period, day: date) -> HeatStanding | None:
    """Return a player's own standing, or None without one."""
    # Filtering the ranked rows would rank the player alone, so count the players with more points instead.
    own = _scored(period, day).filter(player=player_id).order_by("player").first()
    names = player_services().names_on_pages([player_id])
    if own is None or player_id not in names:
        return None
    ahead = _scored(period, day).filter(points__gt=own["points"]).count()
    return HeatStanding(ahead + 1, player_id, *names[player_id], own["points"], own["heats"], own["wins"])


def history(player_id: int, *, before: int | None = None, limit: int = PAGE) -> list[Entrant]:
    """Return a player's finished races, latest first; `before` is the last entrant id of the previous page."""
    entrants = Entrant.objects.filter(player=player_id, race__state=Race.State.FINISHED)
    if before is not None:
        entrants = entrants.filter(pk__lt=before)
    return list(entrants.select_related("race__room", "race__deal").order_by("-pk")[:limit])


def listed() -> QuerySet[Entrant]:
    """Return the entrants of finished races that have a page and a place, except disqualified ones."""
    users: Any = get_user_model()
    return _placed().filter(player__in=users.objects.with_page()).exclude(state=Entrant.State.DISQUALIFIED)


def has_won() -> Q:
    """Return the condition that a listed entrant has won the race: is first in it, alone or shared."""
    return ~Q(Exists(listed().filter(race=OuterRef("race"), place__lt=OuterRef("place"))))


def removed() -> QuerySet[Entrant]:
    """Return the placed entrants, other than guests, that are banned or have deleted their account."""
    users: Any = get_user_model()
    return _placed().filter(as_guest=False).exclude(player__in=users.objects.named())


def _placed() -> QuerySet[Entrant]:
    return Entrant.objects.filter(race__state=Race.State.FINISHED, place__isnull=False)


def _scored(period: Period, day: date, starts: Collection[datetime] | None = None) -> Any:  # noqa: ANN401 - rows with annotations
    """Return points, heats and wins of every player in the heats of a period, or in some of them."""
    users: Any = get_user_model()
    first, last = (datetime.combine(end, time(), tzinfo=UTC) for end in span(period, day))
    raced = Entrant.objects.filter(
        race__state=Race.State.FINISHED,
        race__scheduled_at__gte=first,
        race__scheduled_at__lt=last,
        points__isnull=False,
        player__in=users.objects.with_page(),
    )
    if starts is not None:
        raced = raced.filter(race__scheduled_at__in=starts)
    wins = Count("pk", filter=has_won() & ~Q(state=Entrant.State.DISQUALIFIED))
    scores: Any = raced.values("player").annotate(points=Sum("points"), heats=Count("pk"), wins=wins)
    return scores.order_by()
