"""Home page: today's deals.

Traffic peaks at midnight, so the parts common to all visitors are read and rendered once (`games.daily.shared_day`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from games.attempts.player_attempts import attempts_on, ranked_attempts
from games.daily.day_places import Place
from games.daily.day_summary import (
    PlayerDay,
    address_of,
    share_text,
    standing_of,
    todays_game_text,
)
from games.daily.page_header import header_of
from games.daily.recap import recap_of
from games.daily.relaxed_day import RelaxedDay, relaxed_day
from games.daily.shared_day import SharedDay, shared_day
from games.db.players import player_id
from games.deals import first_game, publishing
from games.deals.todays_game import todays_game
from games.models import Attempt
from games.presence import summary
from games.presentation import titles
from games.presentation.anonymous_cache import GUIDE_COOKIE, RANKED_COOKIE, cache_for_anonymous
from games.presentation.view_models import ShownAttempt, ShownDeal
from games.puzzles.todays_puzzle import progress_of_day
from games.races.results.race_of_the_day import open_or_next_race
from games.rules import CATALOGUE


@dataclass(frozen=True, slots=True)
class TodayTile:
    """One of today's deals: its rendered parts, the player's attempt and place if any, and whether the variant is new
    to the player. A relaxed deal has a `mark` instead of the last four parts (`games.daily.relaxed_day`).
    """

    deal: ShownDeal
    head: SafeString
    is_new: bool
    foot: SafeString = SafeString()  # noqa: RUF009 - immutable
    attempt: ShownAttempt | None = None
    place: Place | None = None
    mark: str = ""

    @classmethod
    def of(cls, deal: ShownDeal, shared: SharedDay, standing: PlayerDay, known: Collection[str]) -> TodayTile:
        """Return the tile of a deal for a player who knows some variants."""
        head, foot = shared.heads[deal.id], shared.feet[deal.id]
        attempt, place = standing.attempts.get(deal.id), standing.places.deals.get(deal.id)
        return cls(deal, head, attempt is None and deal.variant not in known, foot, attempt, place)

    @classmethod
    def relaxed(cls, deal: ShownDeal, shared: SharedDay, mine: RelaxedDay | None, known: Collection[str]) -> TodayTile:
        """Return the tile of a relaxed deal."""
        mark = mine.marks[deal.variant] if mine else "open"
        return cls(deal, shared.heads[deal.id], mark == "open" and deal.variant not in known, mark=mark)


@require_safe
@never_cache
@cache_for_anonymous(2.0)
def home(request: HttpRequest) -> HttpResponse:
    """Show today's deals, ranked or relaxed, with the player's results; `preparing` lists deals that are not there yet.

    `todays` is the tile of today's game.
    """
    now, player = timezone.now(), player_id(request)
    known = first_game.known_variants(player)
    attempts = attempts_on(player, now.date())
    is_ranked = shows_ranked(request, attempts.values())
    of_mode = _ranked_day(player, now, attempts, known) if is_ranked else _relaxed_day(player, now, known)
    shared, tiles = of_mode["shared"], of_mode["tiles"]
    todays = tiles.get(todays_game(now.date()))
    mine, header = of_mode.get("mine"), header_of(player, now)
    context = of_mode | {
        "day": now.date(),
        "now": now,
        "closes_at": publishing.next_midnight(now),
        "tiles": list(tiles.values()),
        "has_new": any(tile.is_new for tile in tiles.values()),
        "todays": todays,
        "todays_leader": todays and shared.boards.leaders.get(todays.deal.id),
        "todays_text": todays_game_text(mine, todays.deal, todays.attempt) if mine and todays else "",
        "boards": shared.boards,
        "best": shared.best,
        "header": header,
        "game_left": header.game_left,
        "newcomer": "" if known or GUIDE_COOKIE in request.COOKIES else GUIDE_COOKIE,
        "puzzle": shared.puzzle,
        "puzzle_progress": progress_of_day(player, now) if shared.puzzle else None,
        "race": open_or_next_race(now),
        "playing": summary.now_playing(),
        "preparing": [
            {"variant": variant, "title": titles.VARIANT_TITLES[name]}
            for name, variant in CATALOGUE.items()
            if name not in tiles
        ],
    }
    return render(request, "games/home.html", context)


def shows_ranked(request: HttpRequest, todays: Iterable[Attempt]) -> bool:
    """Return whether to show ranked games: the player's choice, or else True for those who have played one."""
    chosen = request.user.preferences.get("deals") if request.user.is_authenticated else None
    if chosen is None and RANKED_COOKIE not in request.COOKIES:
        return any(attempt.ranked for attempt in todays) or ranked_attempts(player_id(request)).exists()
    return chosen != "relaxed"


def _ranked_day(
    player: int | None, now: datetime, attempts: Mapping[int, Attempt], known: Collection[str]
) -> dict[str, Any]:
    """Return the context of the ranked games; `mine` is the player's summary of the day (None for a visitor)."""
    shared = shared_day(now, attempts.values())
    standing = standing_of(player, now, attempts, shared.deals, shared.boards)
    mine = standing.summary
    return {
        "shared": shared,
        "tiles": {deal.variant: TodayTile.of(deal, shared, standing, known) for deal in shared.deals},
        "mine": mine,
        "recap": recap_of(player, now),
        "share_text": share_text(mine, address_of(mine.day)) if mine and mine.counted else "",
    }


def _relaxed_day(player: int | None, now: datetime, known: Collection[str]) -> dict[str, Any]:
    """Return the context of the relaxed games."""
    shared, relaxed = shared_day(now), relaxed_day(player, now.date())
    return {
        "shared": shared,
        "tiles": {deal.variant: TodayTile.relaxed(deal, shared, relaxed, known) for deal in shared.relaxed},
        "is_relaxed": True,
        "relaxed": relaxed,
        "share_text": relaxed.share_text if relaxed else "",
    }


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
