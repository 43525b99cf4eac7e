"""API endpoint of the explorer: what everyone played at a position of a revealed deal."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema

from games.api.common import ERRORS, read_from_replica
from games.explorer import lookup
from games.explorer.counts import Crossing
from games.explorer.trails import digest_of
from games.explorer.verdict_graph import Verdict
from games.models import Deal
from games.rules import MAX_TOKENS

router = Router(tags=["deals"])

VerdictName = Literal["winnable", "lost", "unknown"]


class PositionIn(Schema):
    """A position: after the first `n` tokens of a game at the deal, or else from the start, then after `moves`, which
    are separated by dots.
    """

    game: UUID | None = None
    n: int = Field(0, ge=0, le=MAX_TOKENS)
    moves: str = Field("", max_length=6000)


class PlayedMoveOut(Schema):
    """A move that was made at a position. `wins` of the `games` that made it won; `lost` of them lost by it."""

    token: str
    games: int
    wins: int
    lost: int
    verdict: VerdictName


class CrossingOut(Schema):
    """The games that came through a position; `median_ms` is the median of their times from here to the end."""

    games: int
    wins: int
    median_ms: int
    verdict: VerdictName
    moves: list[PlayedMoveOut]


class ExplorerOut(Schema):
    """The number of games at the deal and of wins, the position's view, and what was played at it. `played` is null if
    at most one game came through it.
    """

    games: int
    wins: int
    view: dict[str, Any]
    played: CrossingOut | None


@router.get("/deals/{int:deal_id}/explorer", response={200: ExplorerOut, **ERRORS})
@read_from_replica
def get_explorer(request: HttpRequest, deal_id: int, query: Query[PositionIn]) -> dict[str, Any]:  # noqa: ARG001
    """Return what everyone played at a position of a revealed daily deal or of a finished race's deal."""
    deal = get_object_or_404(Deal, Q(day__isnull=False) | Q(for_race=True), pk=deal_id)
    explorer = lookup.explorer_of(deal)
    table = lookup.table_at(deal, query.game, query.n, query.moves)
    played = lookup.crossing_at(explorer, digest_of(table))
    return {
        "games": explorer.games,
        "wins": explorer.wins,
        "view": table.view(),
        "played": None if played is None else _shown(played),
    }


def _shown(crossing: Crossing) -> dict[str, Any]:
    moves = [
        {
            "token": move.token,
            "games": move.games,
            "wins": move.wins,
            "lost": move.lost,
            "verdict": Verdict(move.verdict).name.lower(),
        }
        for move in crossing.moves
    ]
    return {
        "games": crossing.games,
        "wins": crossing.wins,
        "median_ms": crossing.median_ms,
        "verdict": Verdict(crossing.verdict).name.lower(),
        "moves": moves,
    }
