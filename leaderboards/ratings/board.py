"""The board of ratings, and a player's own page of rated races."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.players import Player
from games.races.ratings import ShownRating
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings.folding import LAST
from leaderboards.ratings.shown import RACES, SIGMA, before_and_after, shown

#: Who has not raced for so long leaves the board until the next race.
ACTIVE: Final = timedelta(days=30)
PAGE_SIZE: Final = 100
AROUND: Final = 5

_COLUMNS: Final = ("player__public_id", "player__display_name", "mu", "races", "last_raced_at")


@dataclass(frozen=True, slots=True)
class Rated:
    """One line of the board."""

    rank: int
    player: UUID
    name: str
    value: int
    races: int
    last_raced_at: datetime

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Own:
    """Where a player stands: `rank` is None while the board does not list the player."""

    value: int
    provisional: bool
    races: int
    last_raced_at: datetime
    rank: int | None
    races_to_go: int

    @property
    def is_away(self) -> bool:
        """Whether it is for not having raced that the player is not listed."""
        return self.rank is None and not self.provisional


@dataclass(frozen=True, slots=True)
class RatedRun:
    """A rated race of a player; `place` is None for one disqualified."""

    room: str
    number: int
    variant: str
    game: str
    finished_at: datetime
    place: int | None
    before: ShownRating
    after: ShownRating

    @property
    def change(self) -> int:
        """By how much the shown rating moved."""
        return self.after.value - self.before.value

    @property
    def fall(self) -> int:
        """By how much it fell, for a minus sign of our own."""
        return -self.change

    @classmethod
    def of(cls, row: RatingChange) -> Self:
        """What is shown of a change whose race and room have been read."""
        race, (before, after) = row.race, before_and_after(row)
        return cls(
            room=race.room.code,
            number=race.number,
            variant=race.variant,
            game=race.game,
            finished_at=row.finished_at,
            place=None if row.rank == LAST else row.rank,
            before=before,
            after=after,
        )


def listed(now: datetime | None = None) -> QuerySet[Rating]:
    """Those on the board, the best first: sure of their ratings, raced of late, and with a page of their own."""
    since = (now or timezone.now()) - ACTIVE
    certain = Rating.objects.filter(races__gte=RACES, sigma__lte=SIGMA, last_raced_at__gte=since)
    named = get_user_model().objects.listed_at("player") & Q(player__deleted_at=None)
    return certain.filter(named).order_by("-mu", "player_id")


def top(limit: int = PAGE_SIZE, now: datetime | None = None) -> list[Rated]:
    """The best."""
    return _lines(listed(now)[:limit], 0)


def total(now: datetime | None = None) -> int:
    """How many are on the board."""
    return listed(now).count()


def around(player: Player, span: int = AROUND, now: datetime | None = None) -> list[Rated]:
    """The player with up to `span` neighbours on each side; nobody when the player is not listed."""
    own = listed(now).filter(player=player.pk).first()
    if own is None:
        return []
    rank = _ahead(own, now) + 1
    first = max(0, rank - 1 - span)
    return _lines(listed(now)[first : rank + span], first)


def own(player: Player, now: datetime | None = None) -> Own | None:
    """Where a player stands; None for one who has not raced for a rating."""
    row = Rating.objects.filter(player=player.pk).first()
    if row is None:
        return None
    value = shown(row.mu, row.sigma, row.races)
    is_listed = listed(now).filter(player=player.pk).exists()
    return Own(
        value=value.value,
        provisional=value.provisional,
        races=row.races,
        last_raced_at=row.last_raced_at,
        rank=_ahead(row, now) + 1 if is_listed else None,
        races_to_go=max(0, RACES - row.races),
    )


def runs(player: Player, limit: int, before: datetime | None = None) -> list[RatedRun]:
    """The player's rated races, the latest first."""
    rows = RatingChange.objects.filter(player=player.pk).select_related("race__room")
    if before is not None:
        rows = rows.filter(finished_at__lt=before)
    return [RatedRun.of(row) for row in rows.order_by("-finished_at", "-race_id")[:limit]]


def _ahead(row: Rating, now: datetime | None) -> int:
    return listed(now).filter(Q(mu__gt=row.mu) | Q(mu=row.mu, player__lt=row.player_id)).count()


def _lines(rows: QuerySet[Rating], first: int) -> list[Rated]:
    found: list[tuple[Any, ...]] = list(rows.values_list(*_COLUMNS))
    return [
        Rated(rank, player, name, round(mu), races, raced_at)
        for rank, (player, name, mu, races, raced_at) in enumerate(found, first + 1)
    ]
