"""The home page: today's deals.

Everybody comes here at midnight, so what is the same for all is read and rendered once for all: the deals, who leads,
and most of each tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from games.deals import publishing
from games.pages import titles
from games.pages.day import Standing, address_of, boards_of, deals_of, share_text, standing_of
from games.pages.places import DayBoards, Place
from games.pages.shown import ShownAttempt, ShownDeal
from games.pages.strangers import same_for_strangers
from games.players import player_id
from games.presence import summary
from games.readings import SharedCache
from games.rules import CATALOGUE

#: The cookie of a visitor who has dismissed the newcomers' guide.
KNOWS_THE_WAY: Final = f"{settings.COOKIE_PREFIX}talon_guide"


@dataclass(frozen=True, slots=True)
class Shared:
    """What everybody is shown in one language: the deals, each with the rendered head of its tile and the foot that it
    has for whoever has not played it, and the boards.
    """

    deals: list[ShownDeal]
    heads: Mapping[int, SafeString]
    feet: Mapping[int, SafeString]
    boards: DayBoards
    best: SafeString


#: For some seconds all see the same page, but for what is their own.
home_pages: Final = SharedCache("home_pages", Shared, fresh=3.0)


@dataclass(frozen=True, slots=True)
class Tile:
    """One of today's deals: what is rendered of it, and the player's attempt and place where there are any."""

    deal: ShownDeal
    head: SafeString
    foot: SafeString
    attempt: ShownAttempt | None
    place: Place | None

    @classmethod
    def of(cls, deal: ShownDeal, shared: Shared, mine: Standing) -> Tile:
        """What there is to show of a deal."""
        head, foot = shared.heads[deal.id], shared.feet[deal.id]
        return cls(deal, head, foot, mine.attempts.get(deal.id), mine.places.deals.get(deal.id))


@require_safe
@never_cache
@same_for_strangers(2.0)
def home(request: HttpRequest) -> HttpResponse:
    """Today's nine deals, and how the player stands with each; `preparing` lists those not yet published.

    `mine` are the figures of the player's day (None for a visitor), `boards` who leads.
    """
    now = timezone.now()
    shared = _shared(now)
    standing = standing_of(player_id(request), now, shared.deals, shared.boards)
    mine = standing.summary
    published = {deal.variant for deal in shared.deals}
    context = {
        "day": now.date(),
        "now": now,
        "closes_at": publishing.next_midnight(now),
        "tiles": [Tile.of(deal, shared, standing) for deal in shared.deals],
        "mine": mine,
        "boards": shared.boards,
        "best": shared.best,
        "share_text": share_text(mine, address_of(mine.day)) if mine and mine.played else "",
        "newcomer": "" if request.user.is_authenticated or KNOWS_THE_WAY in request.COOKIES else KNOWS_THE_WAY,
        "playing": summary.now_playing(),
        "preparing": [
            {"variant": variant, "title": titles.VARIANT_TITLES[name]}
            for name, variant in CATALOGUE.items()
            if name not in published
        ],
    }
    return render(request, "games/home.html", context)


@require_safe
@cache_control(max_age=round(summary.playing.fresh))
def playing_json(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """Who is playing, the same for everybody; home pages ask again every 20 seconds while they are looked at."""
    return JsonResponse(summary.now_playing())


def _shared(now: datetime) -> Shared:
    """What everybody is shown. While deals are being prepared, it is read anew for everybody."""
    key = f"{now.date()}.{get_language()}"
    return home_pages.get(key, lambda: _read(now), is_complete=lambda found: len(found.deals) == len(CATALOGUE))


def _read(now: datetime) -> Shared:
    deals = deals_of(now)
    boards = boards_of(now.date(), deals)
    heads = {
        deal.id: render_to_string("games/_tile.html", {"deal": deal, "leader": boards.leaders.get(deal.id)})
        for deal in deals
    }
    feet = {deal.id: render_to_string("games/_foot.html", {"deal": deal}) for deal in deals}
    return Shared(deals, heads, feet, boards, render_to_string("games/_best.html", {"boards": boards}))
