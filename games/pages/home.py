"""The home page: today's deals."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.deals import publishing
from games.pages import titles
from games.pages.shown import Tile, ranked_at
from games.players import player_id
from games.presence import summary
from games.rules import CATALOGUE

#: The cookie of a visitor who has dismissed the newcomers' guide.
_KNOWS_THE_WAY: Final = "talon_guide"


@require_safe
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Today's nine deals, and how the player stands with each; `preparing` lists those not yet published."""
    now = timezone.now()
    today = publishing.todays_deals(now)
    mine = ranked_at(player_id(request), today)
    published = {deal.variant for deal in today}
    context = {
        "day": now.date(),
        "now": now,
        "closes_at": publishing.next_midnight(now),
        "tiles": [Tile.of(deal, mine.get(deal.pk), now) for deal in today],
        "newcomer": "" if request.user.is_authenticated or _KNOWS_THE_WAY in request.COOKIES else _KNOWS_THE_WAY,
        "playing": summary.now_playing(),
        "playing_address": summary.ADDRESS,
        "preparing": [
            {"variant": variant, "title": titles.VARIANT_TITLES[name]}
            for name, variant in CATALOGUE.items()
            if name not in published
        ],
    }
    return render(request, "games/home.html", context)
