"""Home page: today's deals.

Traffic peaks at midnight, so the parts common to all visitors are read and rendered once: the deals, the leaders, and
most of each tile.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from games.daily.day_places import DayBoards, Place
from games.daily.day_summary import (
    PlayerDay,
    address_of,
    boards_of,
    deals_of,
    share_text,
    standing_of,
    todays_game_text,
)
from games.daily.recap import recap_of
from games.db.players import player_id
from games.db.shared_cache import SharedCache
from games.deals import first_game, publishing
from games.deals.todays_game import todays_game
from games.pages.puzzles.todays_puzzle import TodaysPuzzle, progress_of_day
from games.presence import summary
from games.presentation import titles
from games.presentation.anonymous_cache import GUIDE_COOKIE, cache_for_anonymous
from games.presentation.view_models import ShownAttempt, ShownDeal
from games.races.results.race_of_the_day import next_race
from games.rules import CATALOGUE


@dataclass(frozen=True, slots=True)
class Shared:
    """Part of the page common to everyone in one language: deals, boards, each tile's rendered head and unplayed foot,
    and today's puzzle.
    """

    deals: list[ShownDeal]
    heads: Mapping[int, SafeString]
    feet: Mapping[int, SafeString]
    boards: DayBoards
    best: SafeString
    puzzle: TodaysPuzzle | None


#: Shared cache of the common part of the page.
home_pages: Final = SharedCache("home_pages", Shared, fresh=3.0)


@dataclass(frozen=True, slots=True)
class TodayTile:
    """One of today's deals: its rendered parts, the player's attempt and place if any, and whether the variant is new
    to the player.
    """

    deal: ShownDeal
    head: SafeString
    foot: SafeString
    attempt: ShownAttempt | None
    place: Place | None
    is_new: bool

    @classmethod
    def of(cls, deal: ShownDeal, shared: Shared, standing: PlayerDay, known: Collection[str]) -> TodayTile:
        """Return the tile of a deal for a player who knows some variants."""
        head, foot = shared.heads[deal.id], shared.feet[deal.id]
        attempt, place = standing.attempts.get(deal.id), standing.places.deals.get(deal.id)
        return cls(deal, head, foot, attempt, place, attempt is None and deal.variant not in known)


@require_safe
@never_cache
@cache_for_anonymous(2.0)
def home(request: HttpRequest) -> HttpResponse:
    """Show today's nine deals with the player's results; `preparing` lists deals that are not published yet.

    `mine` is the player's summary of the day (None for a visitor), `boards` the leaders, `todays` the tile of today's
    game.
    """
    now = timezone.now()
    shared = _shared(now)
    standing = standing_of(player_id(request), now, shared.deals, shared.boards)
    mine = standing.summary
    known = first_game.known_variants(player_id(request))
    tiles = {deal.variant: TodayTile.of(deal, shared, standing, known) for deal in shared.deals}
    todays = tiles.get(todays_game(now.date()))
    context = {
        "day": now.date(),
        "now": now,
        "closes_at": publishing.next_midnight(now),
        "tiles": list(tiles.values()),
        "has_new": any(tile.is_new for tile in tiles.values()),
        "todays": todays,
        "todays_leader": todays and shared.boards.leaders.get(todays.deal.id),
        "todays_text": todays_game_text(mine, todays.deal, todays.attempt) if mine and todays else "",
        "mine": mine,
        "boards": shared.boards,
        "best": shared.best,
        "recap": recap_of(player_id(request), now),
        "share_text": share_text(mine, address_of(mine.day)) if mine and mine.counted else "",
        "newcomer": "" if request.user.is_authenticated or GUIDE_COOKIE in request.COOKIES else GUIDE_COOKIE,
        "puzzle": shared.puzzle,
        "puzzle_progress": progress_of_day(player_id(request), now.date()) if shared.puzzle else None,
        "race": next_race(now),
        "playing": summary.now_playing(),
        "preparing": [
            {"variant": variant, "title": titles.VARIANT_TITLES[name]}
            for name, variant in CATALOGUE.items()
            if name not in tiles
        ],
    }
    return render(request, "games/home.html", context)


@require_safe
@never_cache
def go_to_todays_game(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Redirect to today's game, for the installed app's shortcut."""
    return redirect("games:play", variant=todays_game(timezone.now().date()))


@require_safe
@cache_control(max_age=round(summary.FRESH))
def playing_json(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """Return the players now playing, identical for everyone; visible home pages poll it every 20 seconds."""
    return JsonResponse(summary.now_playing())


def _shared(now: datetime) -> Shared:
    """Return the common part of the page. It is not cached until all of the day's deals are published."""
    key = f"{now.date()}.{get_language()}"
    return home_pages.get(key, lambda: _read(now), is_complete=lambda found: len(found.deals) == len(CATALOGUE))


def _read(now: datetime) -> Shared:
    deals = deals_of(now)
    boards = boards_of(now.date(), deals)
    heads = {deal.id: render_to_string("games/_tile.html", {"deal": deal}) for deal in deals}
    feet = {
        deal.id: render_to_string("games/_foot.html", {"deal": deal, "leader": boards.leaders.get(deal.id)})
        for deal in deals
    }
    best = render_to_string("games/_best.html", {"boards": boards})
    return Shared(deals, heads, feet, boards, best, TodaysPuzzle.of(now.date()))
