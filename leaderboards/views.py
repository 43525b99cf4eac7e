"""The pages of the boards: all of them at a glance, a deal's, and a season's."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.deals import publishing
from games.models import Deal
from games.pages.shown import ShownDeal
from games.rules import CATALOGUE
from leaderboards import boards, seasons
from leaderboards.keys import BOARDS, BoardName
from leaderboards.models import Season
from leaderboards.pages import Entry, Page

if TYPE_CHECKING:
    from accounts.models import User

WHO: Final = ("all", "friends")
#: Entries of each deal on the index.
LEADERS: Final = 3


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every board: today's deals, each with its leaders, and the periods of the seasons."""
    today = [
        {"deal": ShownDeal.of(deal), "leaders": boards.page(deal, limit=LEADERS).entries}
        for deal in publishing.todays_deals()
    ]
    return render(request, "boards/index.html", {"deals": today, "periods": Season.Period})


@require_safe
def deal_board(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """A deal's board: `?board=race|fewest`, `?cursor=`, `?who=all|friends`.

    Beside what all boards show (`_shared`): `waiting` (entries without a rank, on the first page), `mine` (the player's
    own entry), `around` (the entries around it, when the page does not show it) and `live` (the WebSocket's path).
    """
    deal = get_object_or_404(Deal, day=day, variant=variant)
    board, cursor, who = _board(request), request.GET.get("cursor"), _who(request)
    player = request.user if request.user.is_authenticated else None
    if who == "friends":
        page = _unpaged(boards.friends(deal, board, player) if player else [])
    else:
        page = boards.page(deal, board, cursor)
    context = {
        "deal": ShownDeal.of(deal),
        "waiting": [] if cursor or who == "friends" else boards.waiting(deal),
        "mine": boards.standing_of(deal, board, player) if player else None,
        "around": boards.around(deal, board, player) if player and not _shows(page, player) else [],
        "live": f"/ws/board/{deal.pk}/?board={board}",
        **_shared(request, board, who, page),
    }
    return render(request, "boards/deal.html", context)


@require_safe
def season_page(request: HttpRequest, period: str) -> HttpResponse:
    """A season's board: `?board=`, `?cursor=`, `?who=`, `?variant=`, `?day=` (any day of the season; by default today).

    Beside what all boards show (`_shared`): `span` (first day, end), `earlier` and `later` (a day of the neighbouring
    seasons, where there are any), `variant` (empty for all) and `around`, as on a deal's board.
    """
    board, who, variant, day = _board(request), _who(request), _variant(request), _day(request)
    span = seasons.span(period, day)
    season = seasons.season(period, day, variant)
    player = request.user if request.user.is_authenticated else None
    if who == "friends":
        page = _unpaged(seasons.friends(season, board, player) if player else [])
    else:
        page = seasons.page(season, board, request.GET.get("cursor"))
    context = {
        "period": Season.Period(period),
        "day": day,
        "span": span,
        "earlier": span.first - seasons.ONE_DAY if span.end else None,
        "later": span.end if span.end and span.end <= timezone.now().date() else None,
        "variant": variant,
        "variants": list(CATALOGUE),
        "around": seasons.around(season, board, player) if player and not _shows(page, player) else [],
        **_shared(request, board, who, page),
    }
    return render(request, "boards/period.html", context)


def _shared(request: HttpRequest, board: BoardName, who: str, page: Page) -> dict[str, Any]:
    """What every board shows: its page of entries, and the addresses of the pages before and after."""
    return {
        "board": board,
        "who": who,
        "page": page,
        "before_url": _url_at(request, page.before),
        "after_url": _url_at(request, page.after),
    }


def _url_at(request: HttpRequest, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return "?" + urlencode({**request.GET.dict(), "cursor": cursor})


def _shows(page: Page, player: User) -> bool:
    return any(entry.player == player.public_id for entry in page.entries)


def _unpaged(entries: list[Entry]) -> Page:
    return Page(entries, len(entries))


def _board(request: HttpRequest) -> BoardName:
    asked = request.GET.get("board", "race")
    for board in BOARDS:
        if board == asked:
            return board
    raise Http404("no such board")


def _who(request: HttpRequest) -> str:
    asked = request.GET.get("who", "all")
    if asked not in WHO:
        raise Http404("no such selection")
    return asked


def _variant(request: HttpRequest) -> str:
    asked = request.GET.get("variant", "")
    if asked and asked not in CATALOGUE:
        raise Http404("no such variant")
    return asked


def _day(request: HttpRequest) -> date:
    asked = request.GET.get("day")
    if not asked:
        return timezone.now().date()
    try:
        day = date.fromisoformat(asked)
    except ValueError:
        raise Http404("no such day") from None
    if not seasons.ALL_TIME < day < seasons.LATEST:
        raise Http404("no such day")
    return day
