"""API routes for player search and comparison; `config.api` mounts the router."""

from __future__ import annotations

from datetime import date, datetime
from typing import Self
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.models import User
from accounts.names.player_search import find_players
from accounts.profile import comparison
from accounts.profile.comparison import DealMet, HeadToHead
from accounts.profile.player_statistics import PlayerFigures
from games.api.common import ERRORS, Limited, read_from_replica
from games.core.errors import ErrorCode, Refusal
from games.races.results.ratings_registry import ShownRating
from leaderboards.ratings.meetings import RaceMet

router = Router(tags=["players"])


class NameIn(Schema):
    """Start of a name."""

    name: str = Field(min_length=2, max_length=64, pattern=r"^[^\x00]*$")


class FoundOut(Schema):
    """Player found by a search; other addresses take the `id`."""

    id: UUID
    name: str


class FiguresOut(Schema):
    """Figures of one player; best time and fewest moves are of won games, streaks in days as of today."""

    played: int
    won: int
    best_ms: int | None
    fewest_moves: int | None
    streak: int
    longest_streak: int

    @classmethod
    def of(cls, figures: PlayerFigures) -> Self:
        """Build the JSON from a player's figures."""
        return cls(
            played=figures.played,
            won=figures.won,
            best_ms=figures.best_ms,
            fewest_moves=figures.fewest_moves,
            streak=figures.streaks.current,
            longest_streak=figures.streaks.longest,
        )


class SideOut(Schema):
    """One of the two players, with figures over all variants; the rating is null without rated races."""

    id: UUID
    name: str
    rating: int | None
    provisional: bool
    overall: FiguresOut

    @classmethod
    def of(cls, player: User, figures: PlayerFigures, rating: ShownRating | None) -> Self:
        """Build the JSON of one of the two players."""
        return cls(
            id=player.public_id,
            name=str(player),
            rating=None if rating is None else rating.value,
            provisional=rating is not None and rating.provisional,
            overall=FiguresOut.of(figures),
        )


class ComparedVariantOut(Schema):
    """Figures of both players in a variant that at least one of them has played."""

    variant: str
    figures: tuple[FiguresOut, FiguresOut]


class GameOut(Schema):
    """Score of a player on a deal."""

    won: bool
    cards_up: int
    elapsed_ms: int
    tokens: int


class DealMetOut(Schema):
    """Deal that both players have finished."""

    variant: str
    day: date
    games: tuple[GameOut, GameOut]

    @classmethod
    def of(cls, met: DealMet) -> Self:
        """Build the JSON of such a deal."""
        one, two = (
            GameOut(won=play.won, cards_up=play.cards_up, elapsed_ms=play.elapsed_ms, tokens=play.tokens)
            for play in met.plays
        )
        return cls(variant=met.variant, day=met.day, games=(one, two))


class RaceMetOut(Schema):
    """Rated race that both players were in, with their places; a disqualified player's place is null."""

    room: str
    number: int
    variant: str
    finished_at: datetime
    places: tuple[int | None, int | None]

    @classmethod
    def of(cls, met: RaceMet) -> Self:
        """Build the JSON of such a race."""
        return cls(
            room=met.room, number=met.number, variant=met.variant, finished_at=met.finished_at, places=met.places
        )


class TallyOut(Schema):
    """Number of times each player was ahead, and number of draws."""

    ahead: tuple[int, int]
    neither: int

    @classmethod
    def of(cls, tally: HeadToHead) -> Self:
        """Build the JSON of a tally."""
        return cls(ahead=(tally.first, tally.second), neither=tally.neither)


class ComparisonOut(Schema):
    """Two players side by side, always in the order of the address; only the latest ten deals and races are listed."""

    players: tuple[SideOut, SideOut]
    variants: list[ComparedVariantOut]
    deals: TallyOut
    latest_deals: list[DealMetOut]
    races: TallyOut
    latest_races: list[RaceMetOut]


@router.get("/players", response={200: list[FoundOut], **ERRORS}, throttle=[Limited("search")])
@read_from_replica
def search_players(request: HttpRequest, query: Query[NameIn]) -> list[FoundOut]:  # noqa: ARG001
    """Find players whose names begin like this in any spelling, at most twenty."""
    return [FoundOut(id=player.public_id, name=str(player)) for player in find_players(query.name)]


@router.get("/players/{uuid:player_id}/vs/{uuid:other_id}", response={200: ComparisonOut, **ERRORS})
@read_from_replica
def compare_players(request: HttpRequest, player_id: UUID, other_id: UUID) -> ComparisonOut:  # noqa: ARG001
    """Compare two players: figures, the deals both have finished, the rated races both were in."""
    one, two = (get_object_or_404(User.objects.with_page(), public_id=key) for key in (player_id, other_id))
    if one == two:
        raise Refusal(ErrorCode.NOT_FOUND, "A player cannot be compared with themselves.")
    found = comparison.compare(one, two)
    sides = [SideOut.of(*side) for side in zip((one, two), found.overall, found.ratings, strict=True)]
    return ComparisonOut(
        players=(sides[0], sides[1]),
        variants=[
            ComparedVariantOut(variant=name, figures=(FiguresOut.of(both[0]), FiguresOut.of(both[1])))
            for name, both in found.by_variant.items()
        ],
        deals=TallyOut.of(found.deals),
        latest_deals=[DealMetOut.of(met) for met in found.latest_deals],
        races=TallyOut.of(found.races),
        latest_races=[RaceMetOut.of(met) for met, _ahead in found.latest_races],
    )
