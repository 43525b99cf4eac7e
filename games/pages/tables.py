"""Tables: the page of a deal before its cards are seen, the first card, and the table itself."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.db.models import Q, UUIDField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.admission import give_pass
from games.attempts import DealClosedError, restart_practice, start_attempt, start_first_attempt
from games.compiled import Compiled, Given, Insertion
from games.deals import first_game, numbered, publishing
from games.deals.publishing import DealAwaitedError
from games.errors import wants_json
from games.fairplay import links, pace
from games.ghosts.models import Answer
from games.hints import questions
from games.live.loading import read
from games.live.opening import opening_view
from games.models import Attempt, Deal
from games.pages import titles
from games.pages.csrf import with_csrf_cookie
from games.pages.ghosts import ghost_beside
from games.pages.guides import guide_at
from games.pages.places import boards
from games.pages.practice_links import link_to
from games.pages.race_hints import hint_at
from games.pages.race_tables import DayLanes, RaceSeat
from games.pages.shown import ShownAttempt, ShownDeal, begun_at, has_ranked
from games.pages.strangers import same_for_strangers
from games.pausing import may_pause
from games.players import check_may_begin, has_account, newcomer_for, player_for, player_id
from games.races import starting
from games.readings import ProcessCache
from games.replays import continuing
from games.rules import CATALOGUE

todays_deals: Final = ProcessCache[Deal]("todays_deals", fresh=3.0)
_AT_TABLE: Final = Compiled(
    lambda: Attempt.objects.select_related("deal", "answer").filter(public_id=Given("public_id", UUIDField()))
)


@require_safe
@never_cache
@same_for_strangers(2.0)
def play(request: HttpRequest, variant: str) -> HttpResponse:
    """Today's deal of a variant before its first card is seen; a player who has begun is sent to the table."""
    try:
        deal = _todays(variant)
    except DealAwaitedError:
        return _preparing(request, variant)
    attempt = begun_at(player_id(request), deal)
    if attempt is not None:
        return redirect("games:table", attempt=attempt.public_id)
    player = request.user if request.user.is_authenticated and has_account(request) else None
    context = {
        "deal": ShownDeal.of(deal),
        "is_first": not has_ranked(player_id(request)),  # and is to be told how ranked games are played
        "has_account": player is not None,
        "ladder": boards().ladder_of(player, deal) if player else None,
    }
    return render(request, "games/play.html", context)


@require_POST
def start(request: HttpRequest, variant: str) -> HttpResponse:
    """Begin, or go on with, today's deal of a variant; a visitor without an account becomes a guest."""
    check_may_begin(request)
    try:
        deal = _todays(variant)
        return _begun(request, deal)
    except DealClosedError as refusal:
        # The day ended between the click and the first card: the new day's deal is shown.
        if wants_json(request):
            raise
        messages.error(request, refusal.sentence)
        return redirect("games:play", variant=variant)
    except (DealAwaitedError, IntegrityError):
        # It is not there yet; or a guest idle for long was removed at this moment, and may begin again as another.
        return redirect("games:play", variant=variant)


@require_safe
@never_cache
@with_csrf_cookie
def table(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The table of the player's own attempt as it stands; all that follows comes over the WebSocket."""
    try:
        there = read(attempt, _AT_TABLE)
    except Attempt.DoesNotExist:
        raise Http404 from None
    found = there.attempt
    if found.player_id != player_id(request):
        if found.is_over and publishing.may_see_seed(found.deal, player_id(request)):
            return redirect("games:replay", attempt=attempt)
        raise PermissionDenied
    now = timezone.now()
    opening = opening_view(there)
    if found.in_race and opening["type"] == "view" and not found.is_over:
        starting.dealt([found.pk])  # who has seen the cards here races, whether or not the socket follows
    day_lanes, ghost_url = DayLanes.of(found.deal, now), ghost_beside(found, request.GET.get("ghost", ""))
    context = {
        "deal": ShownDeal.of(found.deal),
        "attempt": ShownAttempt.of(found),
        "race": RaceSeat.of(found),
        "day_lanes": day_lanes,
        "ghost_url": ghost_url,
        "has_pace": bool(day_lanes or ghost_url),
        "opening": opening,
        "waits": opening["type"] == "waiting",
        "socket": f"/ws/play/{found.public_id}/",
        "may_ask": questions.may_ask(found, player_id(request), now),
        "race_hint": hint_at(request, found),
        "may_pause": not found.is_over and (found.paused_at is not None or may_pause(found)),
        "may_restart": _may_restart(found, now),
        "auto_pace": pace.AUTO_PRACTICE_MS if _is_practice(found, now) else pace.AUTO_MS,
        "number": numbered.number_of(found.deal),
        "link": link_to(request, found.deal, player_id(request)),
        "guide": guide_at(found),
        "is_first_game": not found.ranked and first_game.is_first_game(found.deal),
        "replay_url": _origin_url(found),
    }
    response = render(request, "games/table.html", context)
    if not found.is_over:
        give_pass(request, response)
    return response


@require_POST
def restart(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Begin a practice game again, with the same cards, beside the same `ghost`; the one before is closed."""
    check_may_begin(request)
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request) or not _may_restart(found, timezone.now()):
        raise PermissionDenied
    begun = restart_practice(player_for(request), found.deal)
    ghost = request.GET.get("ghost", "")
    return redirect(
        reverse("games:table", args=[begun.public_id]) + (f"?{urlencode({'ghost': ghost})}" if ghost else "")
    )


def _may_restart(attempt: Attempt, now: datetime) -> bool:
    """Whether the game can be begun again at will: it is practice, and no challenge is being answered with its deal."""
    if not _is_practice(attempt, now):
        return False
    running = Q(attempt__player=attempt.player_id, attempt__deal=attempt.deal_id, attempt__state=Attempt.State.PLAYING)
    return not Answer.objects.filter(Q(attempt=attempt) | running).exists()


def _is_practice(attempt: Attempt, now: datetime) -> bool:
    """Whether nothing hangs on the game; a guest's of this day that an account took over is on a deal still secret."""
    return not attempt.ranked and not attempt.in_race and not publishing.is_secret(attempt.deal, now)


def _begun(request: HttpRequest, deal: Deal) -> HttpResponse:
    """The way to the table of the attempt, begun now or before; the browser keeps its mark.

    :raises DealClosedError: as `start_attempt` does; before a guest is made.
    """
    now, device = timezone.now(), links.device_of(request)

    def origin(attempt: Attempt) -> Insertion:
        return links.start_of(attempt, request, device)

    if request.user.is_authenticated:
        attempt = start_attempt(player_for(request), deal, now=now, origin=origin)
    elif deal.is_open(now):
        attempt = start_first_attempt(newcomer_for(request), deal, now=now, origin=origin)
    else:
        raise DealClosedError
    response = redirect("games:table", attempt=attempt.public_id)
    links.mark(response, device)
    return response


def _origin_url(attempt: Attempt) -> str:
    """The way back to the moment of the replay from which a practice game goes on."""
    origin = None if attempt.deadline else continuing.origin_of(attempt, attempt.player_id)
    if origin is None or origin.origin is None:
        return ""
    return f"{reverse('games:replay', args=[origin.origin.public_id])}?n={origin.n}"


def _preparing(request: HttpRequest, variant: str) -> HttpResponse:
    """The page of a deal that is still being certified; it reloads itself."""
    context = {"title": titles.VARIANT_TITLES[variant], "variant": CATALOGUE[variant]}
    response = render(request, "games/preparing.html", context, status=503)
    response["Retry-After"] = "3"
    return response


def _todays(variant: str) -> Deal:
    """Today's deal; a deal of the day is never changed, so one reading serves all who begin it in the same seconds."""
    try:
        return todays_deals.get(f"{variant} {timezone.now().date()}", lambda: publishing.todays_deal(variant))
    except Deal.DoesNotExist:
        raise Http404 from None
