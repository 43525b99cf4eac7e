"""Who has done how well: the points of a day's or a week's heats, a player's races, and the latest results.

Everything is read from the entrants as it stands, so a decision that changes a place changes this too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, F, Q, Sum, Window
from django.db.models.functions import Rank

from games.players import people
from games.races.models import Entrant, Race, Room

Period = Literal["day", "week"]
PAGE: Final = 50
#: Years that a calendar has; the first and last day have no week in it.
_FIRST: Final = date(2000, 1, 1)
_LAST: Final = date(9000, 1, 1)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a player stands among those of the heats of a day or a week; equal points share a place."""

    place: int
    player_id: int
    name: str
    page: UUID
    points: int
    heats: int
    wins: int


def span(period: Period, day: date) -> tuple[date, date]:
    """The first day of the period that a day is in, and the first one after it. Weeks are those of ISO 8601.

    :raises ValueError: for a day that no calendar of races has.
    """
    if not _FIRST <= day < _LAST:
        raise ValueError("there are no races so early or late")
    first = day if period == "day" else day - timedelta(days=day.weekday())
    return first, first + timedelta(days=1 if period == "day" else 7)


def standing(period: Period, day: date, *, limit: int = PAGE, after: int = 0) -> list[Standing]:
    """The standing of the day, or of the week that the day is in, without the first `after` players.

    Only players who have a page are in it.
    """
    rows = _rows(period, day)[after : after + limit]
    names = people().names_on_pages([row["player"] for row in rows])
    return [
        Standing(row["place"], row["player"], *names[row["player"]], row["points"], row["heats"], row["wins"])
        for row in rows
        if row["player"] in names
    ]


def standing_of(player_id: int, period: Period, day: date) -> Standing | None:
    """A player's own standing."""
    # A filter on the ranked rows would rank the player alone, so the others' points are counted.
    own = _scored(period, day).filter(player=player_id).order_by("player").first()
    names = people().names_on_pages([player_id])
    if own is None or player_id not in names:
        return None
    ahead = _scored(period, day).filter(points__gt=own["points"]).count()
    return Standing(ahead + 1, player_id, *names[player_id], own["points"], own["heats"], own["wins"])


def history(player_id: int, *, before: int | None = None, limit: int = PAGE) -> list[Entrant]:
    """A player's races that are finished, the latest first; `before` is the entrant that the page before ended with."""
    mine = Entrant.objects.filter(player=player_id, race__state=Race.State.FINISHED)
    if before is not None:
        mine = mine.filter(pk__lt=before)
    return list(mine.select_related("race__room", "race__deal").order_by("-pk")[:limit])


def recent(*, before: tuple[datetime, int] | None = None, limit: int = PAGE) -> list[Race]:
    """The finished races of rooms that are not by link alone, the latest first.

    `before` is the end and the id of the race that the page before ended with.
    """
    found = Race.objects.filter(state=Race.State.FINISHED).exclude(room__kind=Room.Kind.PRIVATE)
    if before is not None:
        when, race_id = before
        found = found.filter(Q(finished_at__lt=when) | Q(finished_at=when, pk__lt=race_id))
    return list(found.select_related("room", "deal").order_by("-finished_at", "-pk")[:limit])


def _scored(period: Period, day: date) -> Any:  # noqa: ANN401 - rows with annotations
    """For every player of the heats of a period: points, heats and wins."""
    first, last = (datetime.combine(end, time(), tzinfo=UTC) for end in span(period, day))
    raced = Entrant.objects.filter(
        race__state=Race.State.FINISHED,
        race__scheduled_at__gte=first,
        race__scheduled_at__lt=last,
        points__isnull=False,
        player__in=_with_page(),
    )
    wins = Count("pk", filter=Q(state=Entrant.State.WON, place=1))
    found: Any = raced.values("player").annotate(points=Sum("points"), heats=Count("pk"), wins=wins)
    return found.order_by()


def _rows(period: Period, day: date) -> Any:  # noqa: ANN401 - rows with annotations
    place = Window(Rank(), order_by=F("points").desc())
    return _scored(period, day).annotate(place=place).order_by("place", "player")


def _with_page() -> Any:  # noqa: ANN401 - whatever the user model is
    users: Any = get_user_model()
    return users.objects.with_page()
