"""Heats: four scheduled races a day, each on a fresh deal shared by all its divisions.

Two of them, twelve hours apart, are the race of the day: a short game that people gather for.

The doors open ten minutes before the start. Players who are present fifteen seconds before it race, in divisions of
equal size by rating. No step has to run in time: a heat that was never started becomes void, and the next one is
created.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from games.core.errors import Refusal
from games.manifests import SHORT_VARIANTS
from games.races import finishing, rooms, starting
from games.races.attendance import roll_call
from games.races.models import Entrant, Race, Room
from games.races.results.ratings_registry import ratings
from games.races.room_notifications import notify_room
from games.rules import CATALOGUE

HOURS: Final = (3, 7, 11, 19)  # UTC
#: Hours of the race of the day, the second twelve hours from the first for players on the other side of the world.
RACE_OF_THE_DAY: Final = (19, 7)
#: Times before the start at which the doors open, and at which the seats are frozen.
DOORS: Final = timedelta(minutes=10)
FROZEN: Final = starting.COUNTDOWN
LIMIT_S: Final = 1800
#: Maximum players per division.
DIVISION: Final = 16
#: Maximum players waiting for a heat.
SEATS: Final = 1024

_DAY: Final = timedelta(days=1)


def next_start(now: datetime, hours: Sequence[int] = HOURS) -> datetime:
    """Return the start of the next heat, or of the next one at these hours."""
    today = now.astimezone(UTC).date()
    starts = (datetime.combine(day, time(hour), tzinfo=UTC) for day in (today, today + _DAY) for hour in sorted(hours))
    return next(start for start in starts if start > now)


def next_after(scheduled_at: datetime | None, now: datetime) -> datetime | None:
    """Return the start of the heat after one that starts or started at `scheduled_at`; None without a schedule."""
    return None if scheduled_at is None else next_start(max(now, scheduled_at))


def races_of_the_day(first: date, last: date) -> list[datetime]:
    """Return the starts of the races of the day from `first` to the day before `last`."""
    days = range((last - first).days)
    return [datetime.combine(first + n * _DAY, time(hour), tzinfo=UTC) for n in days for hour in RACE_OF_THE_DAY]


def variant_at(starts_at: datetime) -> str:
    """Return the variant of the heat that starts then.

    The races of the day alternate between the short games. Of the other heats, every round has each variant once, and
    a variant's hour changes from round to round.
    """
    day, hour = starts_at.astimezone(UTC).date().toordinal(), starts_at.astimezone(UTC).hour
    if hour in RACE_OF_THE_DAY:
        return SHORT_VARIANTS[(day + RACE_OF_THE_DAY.index(hour)) % len(SHORT_VARIANTS)]
    others = [other for other in HOURS if other not in RACE_OF_THE_DAY]
    names, count = list(CATALOGUE), day * len(others) + others.index(hour)
    return names[(count + count // len(names)) % len(names)]


def next_heat(now: datetime) -> Race | None:
    """Return the race of the heat whose doors are open, creating it if needed; None if they are shut or it is void."""
    start = next_start(now)
    if now < start - DOORS:
        return None
    if not Race.objects.filter(scheduled_at=start).exists():
        with suppress(IntegrityError), transaction.atomic():  # another process may create it
            room = rooms.open_room(
                None, variant_at(start), None, limit_s=LIMIT_S, seats=DIVISION, kind=Room.Kind.HEAT, now=now
            )
            Room.objects.filter(pk=room.pk).update(seats=SEATS)
            Race.objects.filter(room=room).update(scheduled_at=start, division=1)
    return Race.objects.select_related("room").filter(scheduled_at=start, division=1, state__in=rooms.TO_COME).first()


def next_room(now: datetime | None = None) -> Room | None:
    """Return the room of the heat whose doors are open, or None."""
    race = next_heat(now or timezone.now())
    return None if race is None else race.room


def advance_all(now: datetime | None = None) -> None:
    """Advance all heats: create, freeze or void them as due."""
    now = now or timezone.now()
    next_heat(now)
    open_races = Race.objects.filter(scheduled_at__isnull=False, state=Race.State.OPEN)
    for race_id, start in open_races.order_by("scheduled_at", "division").values_list("pk", "scheduled_at"):
        assert start is not None
        if now >= start:
            finishing.void(race_id, Race.Void.NOT_STARTED, now)
        elif now >= start - FROZEN:
            _freeze(race_id, start, now)


def division_sizes(count: int) -> list[int]:
    """Return the division sizes for `count` players: as few divisions as possible, as equal as possible."""
    divisions = -(-count // DIVISION)
    return [count // divisions + (number < count % divisions) for number in range(divisions)]


def by_rating(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Sort entrants by provisional rating, best first, with unrated ones in the middle."""
    found = ratings().provisional([entrant.player_id for entrant in entrants if entrant.player_id is not None])
    rated = [entrant for entrant in entrants if entrant.player_id in found]
    rated.sort(key=lambda entrant: -found[entrant.player_id or 0])
    unrated = [entrant for entrant in entrants if entrant.player_id not in found]
    half = len(rated) // 2
    return [*rated[:half], *unrated, *rated[half:]]


def _freeze(race_id: int, start: datetime, now: datetime) -> None:
    """Divide the players who are present, and start the countdown of each division; void the heat if it is empty.

    The others stay in the first division, whose start marks them `absent`.
    """
    with transaction.atomic():
        room = Room.objects.select_for_update(no_key=True).filter(races=race_id, closed_at=None).first()
        race = Race.objects.select_for_update(no_key=True).filter(pk=race_id, state=Race.State.OPEN).first()
        if room is None or race is None:
            return
        here = roll_call.present(race.entrants.filter(player__isnull=False).order_by("pk"), now)
        if not here:
            finishing.void(race.pk, Race.Void.NOBODY_CAME, now)
        elif race.deal_id is not None:
            seeded = iter(by_rating(here))
            _first, *further_divisions = [list(islice(seeded, size)) for size in division_sizes(len(here))]
            races = [race, *(_division(race, number, part, now) for number, part in enumerate(further_divisions, 2))]
            Room.objects.filter(pk=room.pk).update(seats=DIVISION)
            for division in races:
                with suppress(Refusal):
                    starting.start(division.room_id, countdown=start - now, now=now)


def _division(race: Race, number: int, part: Sequence[Entrant], now: datetime) -> Race:
    """Move some of a heat's players to a new room and race on the same deal."""
    settings: dict[str, Any] = {name: getattr(race, name) for name in ("variant", "game", "options", "limit_s")}
    shared = {name: getattr(race, name) for name in ("rated", "deal_id", "opened_at", "scheduled_at")}
    room = Room.objects.create(kind=Room.Kind.HEAT, seats=DIVISION, made_at=now, used_at=now, **settings)
    division = Race.objects.create(room=room, number=1, division=number, **shared, **settings)
    Entrant.objects.filter(pk__in=[entrant.pk for entrant in part]).update(race=division)
    notify_room(race.room_id)
    notify_room(room.pk)
    return division
