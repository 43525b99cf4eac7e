"""Opponents beside a table: the other racers, or the other players of the same daily deal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from django.urls import reverse
from django.utils import timezone

from games.models import Attempt, Deal
from games.races import heats
from games.races.models import Entrant


@dataclass(frozen=True, slots=True)
class RaceSeat:
    """The seat in a race from which a table is played."""

    code: str
    number: int
    entrant: int
    room: str
    result: str
    sit: str
    next: datetime | None
    """Start of the next heat, at the table of one, which has no rematch."""
    wishes: list[str]
    """Variants for the search for a new opponent, after a quick match."""

    @classmethod
    def of(cls, attempt: Attempt) -> Self | None:
        """Return the seat of an attempt; None outside races."""
        if not attempt.deal.for_race:
            return None
        entrant = Entrant.objects.select_related("race__room").filter(attempt=attempt).first()
        if entrant is None:
            return None
        return cls.of_entrant(entrant, entrant.race.room.code)

    @classmethod
    def of_entrant(cls, entrant: Entrant, code: str) -> Self:
        """Return the seat of an entrant with their race, in the room with this code."""
        number = entrant.race.number
        return cls(
            code=code,
            number=number,
            entrant=entrant.pk,
            room=reverse("games:room", args=[code]),
            result=reverse("games:race_result", args=[code, number]),
            sit=reverse("games:race_sit", args=[code]),
            next=heats.next_after(entrant.race.scheduled_at, timezone.now()),
            wishes=entrant.wishes,
        )


@dataclass(frozen=True, slots=True)
class DayLanes:
    """URLs for the progress of others at a daily deal, and for the leader's pace."""

    socket: str
    pace: str

    @classmethod
    def of(cls, deal: Deal, now: datetime) -> Self | None:
        """Return the URLs for a daily deal that is open; None otherwise."""
        if deal.day is None or not deal.variant or not deal.is_open(now):
            return None
        return cls(f"/ws/lanes/{deal.pk}/", f"/boards/{deal.day.isoformat()}/{deal.variant}/pace.json")
