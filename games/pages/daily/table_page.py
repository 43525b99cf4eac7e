"""Table pages: a daily deal before its cards are seen, its start, and the table itself."""

from __future__ import annotations

import uuid
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from games.attempts.lifecycle import (
    DealClosedError,
    journal_of,
    played_table,
    restart_practice,
    start_attempt,
    start_first_attempt,
)
from games.attempts.pausing import may_pause
from games.attempts.player_attempts import attempt_at
from games.core.errors import wants_json
from games.daily.day_places import boards
from games.db.players import check_may_start, has_account, player_for, player_id, player_services
from games.db.shared_cache import ProcessCache
from games.deals import first_game, numbered_deals, publishing
from games.deals.publishing import DealAwaitedError
from games.fairplay import account_links, pace
from games.ghosts.lane_addresses import ghost_beside
from games.ghosts.models import Answer
from games.hints import questions
from games.hints.plans import in_common
from games.live import frames
from games.live.loader import read, state_of
from games.models import Attempt, Deal
from games.pages.races.table_opponents import DayLanes, RaceSeat
from games.presentation import titles
from games.presentation.anonymous_cache import cache_for_anonymous
from games.presentation.practice_links import fields_again, link_to
from games.presentation.view_models import ShownAttempt, ShownDeal
from games.races import starting
from games.races.results.confirming_races import hint_at
from games.replays import continuations
from games.rules import CATALOGUE, shuffled_deck

todays_deals: Final = ProcessCache[Deal]("todays_deals", fresh=3.0)


@require_safe
@never_cache
@cache_for_anonymous(2.0)
def play(request: HttpRequest, variant: str) -> HttpResponse:
    """Show today's deal of a variant before its first card, or redirect to the table if the player has started it."""
    try:
        deal = _todays(variant)
    except DealAwaitedError:
        return _preparing(request, variant)
    attempt = attempt_at(player_id(request), deal)
    if attempt is not None:
        return redirect("games:table", attempt=attempt.public_id)
    player = request.user if request.user.is_authenticated and has_account(request) else None
    context = {
        "deal": ShownDeal.of(deal),
        "has_account": player is not None,
        "ladder": boards().ladder_of(player, deal) if player else None,
    }
    return render(request, "games/play.html", context)


@require_POST
def start(request: HttpRequest, variant: str) -> HttpResponse:
    """Start or resume today's deal of a variant; a visitor without an account becomes a guest."""
    check_may_start(request)
    try:
        deal = _todays(variant)
        return _redirect_to_table(request, deal)
    except DealClosedError as refusal:
        # The day ended between the click and the first card: show the new day's deal.
        if wants_json(request):
            raise
        messages.error(request, refusal.sentence)
        return redirect("games:play", variant=variant)
    except (DealAwaitedError, IntegrityError):
        # The deal is not ready yet, or an idle guest was deleted just now and may start again as a new one.
        return redirect("games:play", variant=variant)


@require_safe
@never_cache
@ensure_csrf_cookie
def table(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the table of the player's own attempt in its current position. Updates follow over the WebSocket."""
    try:
        stored = read(attempt)
    except Attempt.DoesNotExist:
        raise Http404 from None
    found = stored.attempt
    if found.player_id != player_id(request):
        if found.is_over and publishing.may_see_seed(found.deal, player_id(request)):
            return redirect("games:replay", attempt=attempt)
        raise PermissionDenied
    now = timezone.now()
    opening = frames.opening(state_of(stored))
    if found.in_race and opening["type"] == "view" and not found.is_over:
        starting.mark_dealt([found.pk])  # the player has seen the cards and races, with or without a socket
    day_lanes, ghost_url = DayLanes.of(found.deal, now), ghost_beside(found, request.GET.get("ghost", ""))
    context = {
        "deal": ShownDeal.of(found.deal),
        "attempt": ShownAttempt.of(found),
        "race": RaceSeat.of(found),
        "free_undo": found.free_undo,
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
        "new_deal": list(fields_again(found).items()) if _is_practice(found, now) else [],
        "auto_pace": pace.AUTO_PRACTICE_MS if _is_practice(found, now) else pace.AUTO_MS,
        "number": numbered_deals.number_of(found.deal),
        "link": link_to(found.deal, player_id(request)),
        "guide": _guide_at(found),
        "replay_url": _origin_url(found),
    }
    return render(request, "games/table.html", context)


@require_safe
@never_cache
def deck(request: HttpRequest, attempt: uuid.UUID) -> JsonResponse:
    """Return the deck of the player's own practice game and its moves, so that it can be played without a network.

    Its player may know these cards: they may give the game up, see its seed, and play it again.
    """
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request) or found.is_over or not _may_restart(found, timezone.now()):
        raise PermissionDenied
    journal = journal_of(found.pk)
    moves = played_table(found.deal, journal).moves
    cards = shuffled_deck(found.deal.game, bytes(found.deal.seed))
    return JsonResponse({"n": len(journal), "moves": moves, "deck": cards})


@require_POST
def restart(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Restart a practice game with the same cards beside the same `ghost`, and close the previous attempt."""
    check_may_start(request)
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request) or not _may_restart(found, timezone.now()):
        raise PermissionDenied
    restarted = restart_practice(player_for(request), found.deal)
    ghost = request.GET.get("ghost", "")
    return redirect(
        reverse("games:table", args=[restarted.public_id]) + (f"?{urlencode({'ghost': ghost})}" if ghost else "")
    )


def _may_restart(attempt: Attempt, now: datetime) -> bool:
    """Return whether the game can be restarted at will: it is practice, and its deal answers no challenge now."""
    if not _is_practice(attempt, now):
        return False
    running = Q(attempt__player=attempt.player_id, attempt__deal=attempt.deal_id, attempt__state=Attempt.State.PLAYING)
    return not Answer.objects.filter(Q(attempt=attempt) | running).exists()


def _is_practice(attempt: Attempt, now: datetime) -> bool:
    """Return whether the game counts for nothing. A guest's daily game that an account took over is not practice while
    its deal is secret.
    """
    return not attempt.ranked and not attempt.in_race and not publishing.is_secret(attempt.deal, now)


def _redirect_to_table(request: HttpRequest, deal: Deal) -> HttpResponse:
    """Redirect to the table of the new or running attempt, and set the device cookie.

    :raises DealClosedError: as `start_attempt` does, before a guest is created.
    """
    now, device = timezone.now(), account_links.device_of(request)
    origin = partial(account_links.record_start, request=request, device=device)
    if request.user.is_authenticated:
        attempt = start_attempt(player_for(request), deal, now=now, origin=origin)
    elif deal.is_open(now):
        attempt = start_first_attempt(deal, now=now, origin=origin)
        player_services().sign_in(request, attempt.player)
    else:
        raise DealClosedError
    response = redirect("games:table", attempt=attempt.public_id)
    account_links.mark(response, device)
    return response


def _guide_at(attempt: Attempt) -> dict[str, Any] | None:
    """Return the guide's moves, each as `{"token", "why"}`, and the moves made so far.

    None without a guide, or once the player goes on without it.
    """
    if attempt.is_over or attempt.ranked or not first_game.is_first_game(attempt.deal):
        return None
    steps, moves = first_game.guide(attempt.deal), played_table(attempt.deal, journal_of(attempt.pk)).moves
    along = in_common(moves, [step["token"] for step in steps])
    # As in lesson/guide.js: one move of the player's own may be an accident, or the first one after the guide.
    is_left = len(moves) - along > (1 if along < len(steps) else 0)
    return None if is_left else {"steps": steps, "moves": list(moves)}


def _origin_url(attempt: Attempt) -> str:
    """Return the URL of the replay position that a practice game continues."""
    origin = None if attempt.deadline else continuations.origin_of(attempt, attempt.player_id)
    if origin is None or origin.origin is None:
        return ""
    return f"{reverse('games:replay', args=[origin.origin.public_id])}?n={origin.n}"


def _preparing(request: HttpRequest, variant: str) -> HttpResponse:
    """Show the page of a deal that is still being certified; the page reloads itself."""
    context = {"title": titles.VARIANT_TITLES[variant], "variant": CATALOGUE[variant]}
    response = render(request, "games/preparing.html", context, status=503)
    response["Retry-After"] = "3"
    return response


def _todays(variant: str) -> Deal:
    """Return today's deal. A daily deal never changes, so all players who start it within seconds share one read."""
    try:
        return todays_deals.get(f"{variant} {timezone.now().date()}", lambda: publishing.todays_deal(variant))
    except Deal.DoesNotExist:
        raise Http404 from None
