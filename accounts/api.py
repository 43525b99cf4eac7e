"""API routes for player search and comparison; `config.api` mounts the router.

Schemas are filled from the attributes of the same names in `accounts.profile.comparison`.
"""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.models import User
from accounts.names.directory import find_players
from accounts.profile import comparison
from accounts.profile.play_statistics import PlayerFigures
from games.api.common import ERRORS, Limited, read_from_replica
from games.core.errors import ErrorCode, Refusal
from games.races.results.ratings_registry import ShownRating

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


class SideOut(Schema):
    """One of the two players, with figures over all variants; the rating is null without rated races."""

    id: UUID
    name: str
    rating: int | None
    provisional: bool
    overall: FiguresOut


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
    progress_ms: int | None


class DealMetOut(Schema):
    """Deal that both players have finished."""

    variant: str
    day: date
    games: tuple[GameOut, GameOut]


class RaceMetOut(Schema):
    """Rated race that both players were in, with their places; a disqualified player's place is null."""

    room: str
    number: int
    variant: str
    finished_at: datetime
    places: tuple[int | None, int | None]


class TallyOut(Schema):
    """Number of times each player was ahead, and number of draws."""

    ahead: tuple[int, int]
    neither: int


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
def compare_players(request: HttpRequest, player_id: UUID, other_id: UUID) -> dict[str, object]:  # noqa: ARG001
    """Compare two players: figures, the deals both have finished, the rated races both were in."""
    one, two = (get_object_or_404(User.objects.with_page(), public_id=key) for key in (player_id, other_id))
    if one == two:
        raise Refusal(ErrorCode.NOT_FOUND, "A player cannot be compared with themselves.")
    found = comparison.compare(one, two)
    return {
        "players": [_side(*side) for side in zip((one, two), found.overall, found.ratings, strict=True)],
        "variants": [{"variant": name, "figures": both} for name, both in found.by_variant.items()],
        "deals": found.deals,
        "latest_deals": found.latest_deals,
        "races": found.races,
        "latest_races": [met for met, _ahead in found.latest_races],
    }


def _side(player: User, figures: PlayerFigures, rating: ShownRating | None) -> dict[str, object]:
    return {
        "id": player.public_id,
        "name": str(player),
        "rating": None if rating is None else rating.value,
        "provisional": rating is not None and rating.provisional,
        "overall": figures,
    }
