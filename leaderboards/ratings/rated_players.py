"""Rating board, the rated races of a player, and those of two players together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self, TypeVar
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from games.db.players import Player
from games.presentation.view_models import shown_part
from games.races.models import Race
from leaderboards.models import ProvisionalChange, ProvisionalRating, Rating, RatingChange
from leaderboards.ratings.rules import LAST, SETTLED_RACES, SETTLED_SIGMA, is_settled

#: Period without a race after which a player leaves the board until the next one.
ACTIVE: Final = timedelta(days=30)
PAGE_SIZE: Final = 100
#: With fewer players on the board, the page lists provisional ratings too.
ENOUGH: Final = 10
AROUND: Final = 5

_SETTLED: Final = Q(races__gte=SETTLED_RACES, sigma__lte=SETTLED_SIGMA)
_Row = TypeVar("_Row", Rating, ProvisionalRating)

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
    """Player's own rating; `rank` is None if the board does not list the player.

    `races` counts the races behind the shown rating, and `races_to_go` those against regulars that it takes to be
    listed.
    """

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
    before: int
    after: int
    provisional: bool

    @property
    def change(self) -> int:
        """Change of the displayed rating."""
        return self.after - self.before

    @classmethod
    def of(cls, row: RatingChange | ProvisionalChange) -> Self:
        """Build the display form of a change whose race and room are loaded."""
        return shown_part(
            cls,
            row.race,
            room=row.race.room.code,
            place=None if row.rank == LAST else row.rank,
            before=round(row.mu_before),
            after=round(row.mu_after),
            provisional=not (isinstance(row, RatingChange) and is_settled(row.sigma_after, row.races)),
        )


@dataclass(frozen=True, slots=True)
class RaceMet:
    """Race that both players were in, with their places as rated; None for a disqualified player."""

    room: str
    number: int
    variant: str
    game: str
    finished_at: datetime
    places: tuple[int | None, int | None]


def listed(now: datetime | None = None) -> QuerySet[Rating]:
    """Return the ratings on the board, best first: settled, with a recent race, and of players with a page."""
    return _active(Rating.objects.filter(_SETTLED), now)


def top(limit: int = PAGE_SIZE, now: datetime | None = None) -> list[Rated]:
    """Return the best."""
    return _lines(listed(now)[:limit], 0)


def top_provisional(now: datetime | None = None) -> list[Rated]:
    """Return the best provisional ratings of players not on the board; none once the board has enough players."""
    on_board = list(listed(now).values_list("player", flat=True)[:ENOUGH])
    if len(on_board) >= ENOUGH:
        return []
    return _lines(_active(ProvisionalRating.objects.exclude(player__in=on_board), now)[:PAGE_SIZE], 0)


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
    provisional = ProvisionalRating.objects.filter(player=player.pk).select_related("player__rating").first()
    if provisional is None:
        return None
    rating: Rating | None = getattr(provisional.player, "rating", None)
    settled = rating if rating and is_settled(rating.sigma, rating.races) else None
    row = settled or provisional
    is_listed = listed(now).filter(player=player.pk).exists()
    return OwnRating(
        value=round(row.mu),
        provisional=settled is None,
        races=row.races,
        last_raced_at=row.last_raced_at,
        rank=_ahead(settled, now) + 1 if settled and is_listed else None,
        races_to_go=max(0, SETTLED_RACES - (rating.races if rating else 0)),
    )


def runs(player: Player, limit: int, before: datetime | None = None) -> list[RatedRun]:
    """Return the player's races with changes of the shown rating, latest first."""
    rows = changes(player.pk).select_related("race__room")
    if before is not None:
        rows = rows.filter(finished_at__lt=before)
    return [RatedRun.of(row) for row in rows.order_by("-finished_at", "-race_id")[:limit]]


def history_points(player_id: int, since: datetime) -> list[tuple[datetime, float, float]]:
    """Return the time, and the shown rating before and after, of the player's races since then, oldest first."""
    rows = changes(player_id).filter(finished_at__gte=since).order_by("finished_at", "race_id")
    return list(rows.values_list("finished_at", "mu_before", "mu_after"))


def changes(player_id: int) -> QuerySet[RatingChange] | QuerySet[ProvisionalChange]:
    """Return the changes of a player's shown rating."""
    if Rating.objects.filter(_SETTLED, player=player_id).exists():
        return RatingChange.objects.filter(player=player_id)
    return ProvisionalChange.objects.filter(player=player_id)


def ranks_in_common(first: int, second: int) -> dict[int, tuple[int, int]]:
    """Return the ranks of both players in each rated race they shared; keyed by race id, latest first."""
    theirs = ProvisionalChange.objects.filter(player=second, race=OuterRef("race")).values("rank")
    rows = ProvisionalChange.objects.filter(player=first).annotate(their_rank=Subquery(theirs)).exclude(their_rank=None)
    ordered = rows.order_by("-finished_at", "-race_id").values_list("race_id", "rank", "their_rank")
    return {race: (rank, their_rank) for race, rank, their_rank in ordered}


def races_met(ranks: dict[int, tuple[int, int]], limit: int) -> list[tuple[int, RaceMet]]:
    """Return the first `limit` races of `ranks_in_common`, with their ids."""
    latest = list(ranks)[:limit]
    races = Race.objects.filter(pk__in=latest).select_related("room").in_bulk(latest)
    return [(key, _met(races[key], ranks[key])) for key in latest if key in races]


def _active(rows: QuerySet[_Row], now: datetime | None) -> QuerySet[_Row]:
    named = get_user_model().objects.listed_at("player") & Q(player__deleted_at=None)
    recent = Q(last_raced_at__gte=(now or timezone.now()) - ACTIVE)
    return rows.filter(named, recent).order_by("-mu", "player_id")


def _ahead(row: Rating, now: datetime | None) -> int:
    return listed(now).filter(Q(mu__gt=row.mu) | Q(mu=row.mu, player__lt=row.player_id)).count()


def _lines(rows: QuerySet[_Row], first: int) -> list[Rated]:
    found: list[tuple[Any, ...]] = list(rows.values_list(*_COLUMNS))
    return [
        Rated(rank, player, name, round(mu), races, raced_at)
        for rank, (player, name, mu, races, raced_at) in enumerate(found, first + 1)
    ]


def _met(race: Race, ranks: tuple[int, int]) -> RaceMet:
    places = tuple(None if rank == LAST else rank for rank in ranks)
    return shown_part(RaceMet, race, room=race.room.code, places=places)
