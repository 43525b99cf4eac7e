"""Finished races, written to the database without being played."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from games.races.models import Entrant, Race, Room
from tests.factories import DAY, make_deal


def heat(day: date, hour: int, points: dict[Any, int], *, division: int = 1, **fields: Any) -> Race:
    """Create a finished heat with its players' points; the player with the most points has won."""
    start = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    race = race_of(start, scheduled_at=start, division=division, kind=Room.Kind.HEAT, **fields)
    best = max(points.values())
    for player, own in points.items():
        first = own == best
        Entrant.objects.create(
            race=race, player=player, joined_at=start, points=own, state="won" if first else "retired",
            place=1 if first else 2,
        )  # fmt: skip
    return race


def race_of(start: datetime, *, kind: Room.Kind = Room.Kind.QUICK, state: str = "finished", **fields: Any) -> Race:
    room = Room.objects.create(kind=kind, game="plot", limit_s=60, seats=16, made_at=start, used_at=start)
    fields = {"finished_at": start + timedelta(minutes=1)} | fields
    return Race.objects.create(
        room=room, number=1, state=state, variant="plot", game="plot", limit_s=60, opened_at=start, starts_at=start,
        ends_at=start, deal=make_deal("plot", DAY, practice=True), **fields,
    )  # fmt: skip
