"""API routes for boards, seasons, players and ratings; `config.api` mounts the router."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api.common import ERRORS, Day, Moment, read_from_replica
from games.api.deals import DealOut
from games.core.errors import ErrorCode, Refusal
from games.core.ladders import Ladder, LadderSlug
from games.models import Deal
from games.rules import CATALOGUE
from leaderboards.boards import deal_boards, seasons
from leaderboards.boards.listings import ladder_named
from leaderboards.boards.rank_keys import BoardName
from leaderboards.boards.rows import BoardRow
from leaderboards.boards.schemas import EntryOut, PageOut, RatingOut, RatingsOut, page_fields
from leaderboards.models import Result, Season
from leaderboards.ratings import rated_players

RESULTS_SHOWN: Final = 50
router = Router(tags=["boards"])


class BoardIn(Schema):
    """Choice of a board."""

    board: BoardName = "race"


class PageIn(BoardIn):
    """Choice of a page: the first, or the one at a cursor from another page."""

    cursor: str | None = Field(None, max_length=500)
    limit: int = Field(deal_boards.PAGE_SIZE, ge=1, le=deal_boards.MAX_PAGE_SIZE)


class DealPageIn(PageIn):
    """Choice of a ladder: by default the established one, or the newcomers' if the established one is empty.

    A cursor belongs to the ladder of the page that contained it.
    """

    ladder: LadderSlug | None = None


class AroundIn(BoardIn):
    """Number of entries before and after."""

    span: int = Field(deal_boards.AROUND, ge=0, le=25)


class SeasonIn(Schema):
    """Choice of a season: the one that contains a day (by default today), of one variant or all.

    `ladder` applies to the nine of a day, which have a board for each ladder and none for a single variant. It defaults
    to the established ladder, or to the newcomers' if the established one is empty.
    """

    day: Day | None = None
    variant: str = ""
    ladder: LadderSlug | None = None


class PlayerOut(Schema):
    """Public data of a player."""

    id: UUID
    name: str
    joined: date
    results: int


class ResultOut(Schema):
    """Verified result of a player."""

    deal: DealOut
    attempt: UUID
    cards_up: int
    elapsed_ms: int
    tokens: int
    progress_ms: int | None
    finished_at: datetime
    ladder: LadderSlug


class ResultsIn(Schema):
    """Results that finished before a moment, newest first."""

    before: Moment | None = None

    def aware_before(self) -> datetime | None:
        """Return the moment, taken as UTC if it has no time zone."""
        if self.before is None or timezone.is_aware(self.before):
            return self.before
        return timezone.make_aware(self.before)


class RatingsIn(Schema):
    """Number of the best to return."""

    limit: int = Field(rated_players.PAGE_SIZE, ge=1, le=rated_players.PAGE_SIZE)


@router.get("/boards/{int:deal_id}", response={200: PageOut, **ERRORS})
@read_from_replica
def get_board(request: HttpRequest, deal_id: int, query: Query[DealPageIn]) -> dict[str, Any]:  # noqa: ARG001
    """Return a page of a deal's board; the first page also has the attempts that wait for their verdict."""
    deal = _deal(deal_id)
    page = deal_boards.page(deal, query.board, query.cursor, query.limit, ladder_named(query.ladder))
    return page_fields(query.board, page, () if query.cursor else deal_boards.waiting(deal))


@router.get("/boards/{int:deal_id}/players/{uuid:player_id}", response={200: EntryOut, **ERRORS})
@read_from_replica
def get_standing(request: HttpRequest, deal_id: int, player_id: UUID, query: Query[BoardIn]) -> BoardRow:  # noqa: ARG001
    """Return a player's entry on a deal's board, on the player's ladder."""
    entry = deal_boards.standing_of(_deal(deal_id), query.board, _player(player_id))
    if entry is None:
        raise Refusal(ErrorCode.NOT_FOUND, "This player is not on this board.")
    return entry


@router.get("/boards/{int:deal_id}/around/{uuid:player_id}", response={200: list[EntryOut], **ERRORS})
@read_from_replica
def get_around(
    request: HttpRequest,  # noqa: ARG001
    deal_id: int,
    player_id: UUID,
    query: Query[AroundIn],
) -> list[BoardRow]:
    """Return the entries around a player on a deal's board, of the player's ladder; empty if not listed."""
    return deal_boards.around(_deal(deal_id), query.board, _player(player_id), query.span)


@router.get("/boards/{int:deal_id}/friends", response={200: list[EntryOut], **ERRORS})
@read_from_replica
def get_friends(request: HttpRequest, deal_id: int, query: Query[BoardIn]) -> list[BoardRow]:
    """Return you and the players you follow, ranked among yourselves across ladders. You must be signed in."""
    return deal_boards.friends(_deal(deal_id), query.board, _me(request))


@router.get("/seasons/{period}", response={200: PageOut, **ERRORS})
@read_from_replica
def get_season(
    request: HttpRequest,  # noqa: ARG001
    period: Season.Period,
    when: Query[SeasonIn],
    query: Query[PageIn],
) -> dict[str, Any]:
    """Return a page of a season's board: sums of the results on the established ladder, or of the nine of a day by
    points.
    """
    season = _season(period, when)
    return page_fields(query.board, seasons.page(season, query.board, query.cursor, query.limit))


@router.get("/seasons/{period}/around/{uuid:player_id}", response={200: list[EntryOut], **ERRORS})
@read_from_replica
def get_season_around(
    request: HttpRequest,  # noqa: ARG001
    period: Season.Period,
    player_id: UUID,
    when: Query[SeasonIn],
    query: Query[AroundIn],
) -> list[BoardRow]:
    """Return the entries around a player in a season."""
    return seasons.around(_season(period, when), query.board, _player(player_id), query.span)


@router.get("/seasons/{period}/friends", response={200: list[EntryOut], **ERRORS})
@read_from_replica
def get_season_friends(
    request: HttpRequest, period: Season.Period, when: Query[SeasonIn], query: Query[BoardIn]
) -> list[BoardRow]:
    """Return you and the players you follow in a season. You must be signed in."""
    return seasons.friends(_season(period, when), query.board, _me(request))


@router.get("/players/{uuid:player_id}", tags=["players"], response={200: PlayerOut, **ERRORS})
@read_from_replica
def get_player(request: HttpRequest, player_id: UUID) -> PlayerOut:  # noqa: ARG001
    """Return a player."""
    player = _player(player_id)
    results = Result.objects.filter(player=player, listed=True).count()
    return PlayerOut(id=player.public_id, name=str(player), joined=player.date_joined.date(), results=results)


@router.get("/players/{uuid:player_id}/results", tags=["players"], response={200: list[ResultOut], **ERRORS})
@read_from_replica
def get_results(request: HttpRequest, player_id: UUID, query: Query[ResultsIn]) -> list[ResultOut]:  # noqa: ARG001
    """Return a player's results, newest first, fifty at a time; page on with `before` set to the last finish."""
    found = Result.objects.filter(player=_player(player_id), listed=True).select_related("deal", "attempt")
    if (before := query.aware_before()) is not None:
        found = found.filter(finished_at__lt=before)
    now = timezone.now()
    return [
        ResultOut(
            deal=DealOut.of(result.deal, now),
            attempt=result.attempt.public_id,
            cards_up=result.cards_up,
            elapsed_ms=result.elapsed_ms,
            tokens=result.tokens,
            progress_ms=result.progress_ms,
            finished_at=result.finished_at,
            ladder=Ladder(result.ladder).slug,
        )
        for result in found.order_by("-finished_at", "-id")[:RESULTS_SHOWN]
    ]


@router.get("/ratings", tags=["ratings"], response={200: RatingsOut, **ERRORS})
@read_from_replica
def get_ratings(request: HttpRequest, query: Query[RatingsIn]) -> dict[str, Any]:  # noqa: ARG001
    """Return the rating board, best first: players with a certain rating and a race within the last thirty days."""
    return {"total": rated_players.total(), "entries": rated_players.top(query.limit)}


@router.get("/ratings/{uuid:player_id}", tags=["ratings"], response={200: RatingOut, **ERRORS})
@read_from_replica
def get_rating(request: HttpRequest, player_id: UUID, query: Query[ResultsIn]) -> dict[str, Any]:  # noqa: ARG001
    """Return a player's rating and rated races, latest first, fifty at a time; `before` the last finish pages on."""
    player = get_object_or_404(get_user_model().objects.with_page(), public_id=player_id)
    own = rated_players.own(player)
    if own is None:
        raise Refusal(ErrorCode.NOT_FOUND, "This player has not raced for a rating.")
    runs = rated_players.runs(player, RESULTS_SHOWN, query.aware_before())
    return {"player": player.public_id, "name": str(player), "changes": runs, **asdict(own)}


def _deal(deal_id: int) -> Deal:
    return get_object_or_404(Deal, pk=deal_id, day__isnull=False)


def _player(public_id: UUID) -> Any:  # noqa: ANN401
    """Return a player who appears on boards; answer 404 for any other."""
    return get_object_or_404(get_user_model().objects.listed(), public_id=public_id)


def _me(request: HttpRequest) -> Any:  # noqa: ANN401
    if not request.user.is_authenticated:
        raise Refusal(ErrorCode.NOT_SIGNED_IN, "Sign in to see whom you follow.")
    return request.user


def _season(period: Season.Period, when: SeasonIn) -> Season | None:
    day = when.day or timezone.now().date()
    if when.variant and when.variant not in CATALOGUE:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such variant.")
    if not seasons.ALL_TIME < day < seasons.LATEST:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such season.")
    ladder = ladder_named(when.ladder)
    if not seasons.has_board(period, when.variant, ladder):
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such board.")
    if period != Season.Period.NINE:
        return seasons.season(period, day, when.variant)
    nines = seasons.nines_of(day)
    return nines.get(ladder or seasons.first_ladder(nines))
