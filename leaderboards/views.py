"""Views of the boards: the index, a deal's board, a season's board, the rating board, and records."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date
from typing import Any, Final, cast
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from games.core.ladders import Ladder
from games.db.players import Player, player_id
from games.db.replicas.replica_choice import from_replica
from games.db.shared_cache import SharedCache
from games.deals import daily_points, publishing
from games.models import Attempt, Deal
from games.presentation.anonymous_cache import cache_for_anonymous
from games.presentation.view_models import ShownDeal
from games.rules import CATALOGUE
from leaderboards.boards import deal_boards, fastest_wins, seasons
from leaderboards.boards.listings import ladder_named
from leaderboards.boards.own_result import held_game, own_result
from leaderboards.boards.rank_keys import BOARDS, BoardName
from leaderboards.boards.rows import BoardPage, BoardRow
from leaderboards.models import Season
from leaderboards.ratings import rated_players
from leaderboards.summary import pace_line
from leaderboards.summary.panel import GameSummary

WHO: Final = ("all", "friends")
#: Entries of each deal on the index.
LEADERS: Final = 3

#: Shared cache of the index: today's deals, each with its leaders.
_index: Final = SharedCache("boards_index", list[tuple[ShownDeal, BoardPage]], fresh=1.0)


@require_safe
@cache_for_anonymous(2.0)
@from_replica("boards")
def index(request: HttpRequest) -> HttpResponse:
    """Show the index: today's deals, each with its leaders if any, the nine, and the periods of the seasons."""
    now = timezone.now()
    pages = _index.get(
        f"{now.date()}.{get_language()}",
        lambda: [
            (ShownDeal.of(deal, now), deal_boards.page(deal, limit=LEADERS)) for deal in publishing.todays_deals(now)
        ],
        is_complete=lambda known: len(known) == len(CATALOGUE),
    )
    context = {
        "deals": [{"deal": deal, "page": page} for deal, page in pages],
        "empty": [deal for deal, page in pages if not page.entries],
        "periods": Season.Period.choices,
    }
    return render(request, "boards/index.html", context)


@require_safe
@cache_for_anonymous(2.0)
@from_replica("boards")
def deal_board(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Show a deal's board: `?board=race|fewest`, `?ladder=established|newcomers`, `?cursor=`, `?who=all|friends`.

    Context in addition to `_shared`: `ladder` (the one shown), `asked_ladder`, `has_ladders`, `waiting` (entries
    without a rank, on the first page), `own` (the player's own result), `held` (the player's game, if it is under
    review), `around` (the entries around the own one, unless the page shows it) and `live` (the WebSocket's path).
    """
    deal = get_object_or_404(Deal, day=day, variant=variant)
    board, cursor, ladder = _board(request), request.GET.get("cursor"), _ladder(request)
    who = _choice(request, "who", WHO, "all")
    player = request.user if request.user.is_authenticated else None
    if who == "friends":
        page = _unpaged(deal_boards.friends(deal, board, player) if player else [])
    else:
        page = deal_boards.page(deal, board, cursor, ladder=ladder)
    shown = (ladder or page.ladder).slug
    own = own_result(deal, board, player) if player else None
    waiting = [] if cursor or who == "friends" else deal_boards.waiting(deal)
    context = {
        "deal": ShownDeal.of(deal),
        "waiting": waiting,
        "ladder": shown,
        "asked_ladder": ladder.slug if ladder else "",
        "has_ladders": deal_boards.has_ladders(deal),
        "own": own,
        "held": held_game(deal, player) if player and any(_is_held(row, player) for row in waiting) else None,
        "around": deal_boards.around(deal, board, player) if player and not _shows(page, player) else [],
        "live": f"/ws/board/{deal.pk}/?board={board}" + (f"&ladder={shown}" if ladder else ""),
        **_shared(request, board, who, page, ladder=shown),
    }
    return render(request, "boards/deal.html", context)


def _is_held(row: BoardRow, player: Player) -> bool:
    return row.status == "review" and row.player == player.public_id


@require_safe
@cache_control(max_age=round(pace_line.FRESH))
def pace(_request: HttpRequest, day: date, variant: str) -> JsonResponse:
    """Return the leader's name and cards up over time; empty without a leader."""
    deal = get_object_or_404(Deal, day=day, variant=variant)
    if timezone.now() < deal.opens_at:
        raise Http404("not open yet")
    return JsonResponse(pace_line.pace_line(deal))


@require_safe
@never_cache
def after_game(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Render the end-of-game panel for the table's page; answer 204 while the game is in progress.

    :raises PermissionDenied: to all but the game's player.
    """
    games = Attempt.objects.select_related("deal").defer("record", "decisions_digest", "deal__solution")
    found = get_object_or_404(games, public_id=attempt)
    if found.player_id != player_id(request):
        raise PermissionDenied
    if not found.is_over:
        return HttpResponse(status=204)
    return render(request, "boards/_after.html", {"after": GameSummary.of(found, request.user)})


@require_safe
@from_replica("boards")
def season_page(request: HttpRequest, period: str) -> HttpResponse:
    """Show a season's board: `?board=`, `?cursor=`, `?who=`, `?variant=`, `?day=` (any day of the season, default
    today).

    The nine of a day have no `variant`, but a `ladder`. Context in addition to `_shared`: `span` (first day, end),
    `earlier` and `later` (a day of the neighbouring seasons, if they exist), `variant` (empty for all), `ladder`,
    `has_ladders` and `around`, as on a deal's board.
    """
    board, who = _board(request), _choice(request, "who", WHO, "all")
    variant = _choice(request, "variant", CATALOGUE, "")
    day, requested = _day(request), _ladder(request)
    is_nine = period == Season.Period.NINE
    if not seasons.has_board(period, variant, requested):
        raise Http404("no such board")
    span = seasons.span(period, day)
    nines = seasons.nines_of(day) if is_nine else {}
    ladder = requested or seasons.first_ladder(nines)
    season = nines.get(ladder) if is_nine else seasons.season(period, day, variant)
    player = request.user if request.user.is_authenticated else None
    if who == "friends":
        page = _unpaged(seasons.friends(season, board, player) if player else [])
    else:
        page = seasons.page(season, board, request.GET.get("cursor"))
    context = {
        "period": Season.Period(period),
        "periods": Season.Period.choices,
        "day": day,
        "span": span,
        "earlier": span.first - seasons.ONE_DAY if span.end else None,
        "later": span.end if span.end and span.end <= timezone.now().date() else None,
        "variant": variant,
        "variants": list(CATALOGUE),
        "is_nine": is_nine,
        "most_points": daily_points.MOST,
        "ladder": ladder.slug,
        "asked_ladder": requested.slug if requested else "",
        "has_ladders": settings.LADDERS or Ladder.NEWCOMERS in nines,
        "around": seasons.around(season, board, player) if player and not _shows(page, player) else [],
        **_shared(request, board, who, page, **({"ladder": ladder.slug} if is_nine else {})),
    }
    return render(request, "boards/period.html", context)


@require_safe
@from_replica("boards")
def rating_board(request: HttpRequest) -> HttpResponse:
    """Show the rating board: the best hundred, and the player's own rank with neighbours."""
    player = request.user if request.user.is_authenticated else None
    lines = rated_players.top()
    shown = player is not None and any(line.player == player.public_id for line in lines)
    context = {
        "periods": Season.Period.choices,
        "lines": lines,
        "total": rated_players.total(),
        "provisional": rated_players.top_provisional(),
        "own": rated_players.own(player) if player else None,
        "around": rated_players.around(player) if player and not shown else [],
        "has_ladders": settings.LADDERS,
    }
    return render(request, "boards/rating.html", context)


@require_safe
@cache_for_anonymous(2.0)
@from_replica("boards")
def records_page(request: HttpRequest) -> HttpResponse:
    """Show the fastest win of each variant, of all time and of each year."""
    context = {"periods": Season.Period.choices, "years": fastest_wins.by_year(), "has_ladders": settings.LADDERS}
    return render(request, "boards/records.html", context)


def _shared(request: HttpRequest, board: BoardName, who: str, page: BoardPage, **params: str) -> dict[str, Any]:
    """Return the context of all boards: the page of entries, and the URLs of the pages before and after.

    `params` holds query parameters that pin the page shown, and is added to those URLs.
    """
    return {
        "board": board,
        "who": who,
        "page": page,
        "before_url": _url_at(request, page.before, params),
        "after_url": _url_at(request, page.after, params),
    }


def _url_at(request: HttpRequest, cursor: str | None, params: dict[str, str]) -> str | None:
    if cursor is None:
        return None
    return "?" + urlencode({**request.GET.dict(), **params, "cursor": cursor})


def _shows(page: BoardPage, player: Player) -> bool:
    return any(entry.player == player.public_id for entry in page.entries)


def _unpaged(entries: list[BoardRow]) -> BoardPage:
    return BoardPage(entries, len(entries))


def _choice(request: HttpRequest, name: str, options: Iterable[str], default: str) -> str:
    """Return the value of a query parameter, or the default if it is missing.

    :raises Http404: if it is none of the options.
    """
    requested = request.GET.get(name, default)
    if requested != default and requested not in options:
        raise Http404(f"no such {name}")
    return requested


def _board(request: HttpRequest) -> BoardName:
    return cast("BoardName", _choice(request, "board", BOARDS, "race"))


def _ladder(request: HttpRequest) -> Ladder | None:
    return ladder_named(_choice(request, "ladder", [ladder.slug for ladder in Ladder], ""))


def _day(request: HttpRequest) -> date:
    requested = request.GET.get("day")
    if not requested:
        return timezone.now().date()
    try:
        day = date.fromisoformat(requested)
    except ValueError:
        raise Http404("no such day") from None
    if not seasons.ALL_TIME < day < seasons.LATEST:
        raise Http404("no such day")
    return day
