"""Rating board, and a player's own rated races."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.db.players import Player
from games.races.results.ratings_registry import ShownRating
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings.rules import LAST, RACES
from leaderboards.ratings.shown_points import SIGMA, before_and_after, shown

#: Period without a race after which a player leaves the board until the next one.
ACTIVE: Final = timedelta(days=30)
PAGE_SIZE: Final = 100
AROUND: Final = 5

_COLUMNS: Final = ("player__public_id", "player__display_name", "mu", "races", "last_raced_at")


@dataclass(frozen=True, slots=True)
class Rated:
    """Line of the board."""

    rank: int
    player: UUID
    name: str
    value: int
    races: int
    last_raced_at: datetime

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OwnRating:
    """Player's own rating; `rank` is None if the board does not list the player."""

    value: int
    provisional: bool
    races: int
    last_raced_at: datetime
    rank: int | None
    races_to_go: int

    @property
    def is_inactive(self) -> bool:
        """True if only inactivity keeps the player off the board."""
        return self.rank is None and not self.provisional


@dataclass(frozen=True, slots=True)
class RatedRun:
    """Rated race of a player; `place` is None if the player was disqualified."""

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
        """Change of the displayed rating."""
        return self.after.value - self.before.value

    @classmethod
    def of(cls, row: RatingChange) -> Self:
        """Build the display form of a change whose race and room are loaded."""
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
    """Return the ratings on the board, best first: certain, with a recent race, and of players with a page."""
    since = (now or timezone.now()) - ACTIVE
    certain = Rating.objects.filter(races__gte=RACES, sigma__lte=SIGMA, last_raced_at__gte=since)
    named = get_user_model().objects.listed_at("player") & Q(player__deleted_at=None)
    return certain.filter(named).order_by("-mu", "player_id")


def top(limit: int = PAGE_SIZE, now: datetime | None = None) -> list[Rated]:
    """Return the best."""
    return _lines(listed(now)[:limit], 0)


def total(now: datetime | None = None) -> int:
    """Return the number of players on the board."""
    return listed(now).count()


def around(player: Player, span: int = AROUND, now: datetime | None = None) -> list[Rated]:
    """Return the player with up to `span` neighbours on each side; empty if the player is not listed."""
    own = listed(now).filter(player=player.pk).first()
    if own is None:
        return []
    rank = _ahead(own, now) + 1
    first = max(0, rank - 1 - span)
    return _lines(listed(now)[first : rank + span], first)


def own(player: Player, now: datetime | None = None) -> OwnRating | None:
    """Return a player's own rating and rank; None without a rated race."""
    row = Rating.objects.filter(player=player.pk).first()
    if row is None:
        return None
    value = shown(row.mu, row.sigma, row.races)
    is_listed = listed(now).filter(player=player.pk).exists()
    return OwnRating(
        value=value.value,
        provisional=value.provisional,
        races=row.races,
        last_raced_at=row.last_raced_at,
        rank=_ahead(row, now) + 1 if is_listed else None,
        races_to_go=max(0, RACES - row.races),
    )


def runs(player: Player, limit: int, before: datetime | None = None) -> list[RatedRun]:
    """Return the player's rated races, latest first."""
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
