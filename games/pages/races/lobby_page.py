"""Race lobby: races to watch, seats to take, and new races."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from games.core import limits
from games.core.errors import Refusal
from games.db.players import player_id
from games.pages.races import lobby
from games.pages.races.game_form import choices, chosen
from games.presentation import titles
from games.presentation.anonymous_cache import cache_for_anonymous
from games.races import heats
from games.races.bots import seating
from games.races.joining import check_may_sit, open_own_room, refused, seated_player, to_seat
from games.races.quick_match import matchmaking, open_seeks
from games.races.seats import seat_of
from games.rules import CATALOGUE


@require_safe
@never_cache
def races(request: HttpRequest) -> HttpResponse:
    """Show the lobby. The page includes its current state and polls for updates every few seconds."""
    context = {
        "lobby": lobby.cached_lobby(),
        "naming": titles.for_client(),
        "choices": choices(),
        "variants": titles.variant_choices(),
        "seat": seat_of(player_id(request)),
    }
    return render(request, "races/lobby.html", context)


@require_safe
@never_cache
def tv(request: HttpRequest) -> HttpResponse:
    """Show the best live race, and the next one when it is over. The page polls the lobby for it."""
    return render(request, "races/tv.html", {"lobby": lobby.cached_lobby(), "naming": titles.for_client()})


@require_safe
@cache_control(max_age=round(lobby.lobbies.fresh))
def lobby_json(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """Return the current state of the lobby, identical for everyone."""
    return JsonResponse(lobby.cached_lobby())


@require_safe
@never_cache
@cache_for_anonymous(open_seeks.FRESH)
def seeks_json(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """Return the players waiting for a quick match. It is the same for everyone, and visible pages poll it."""
    return JsonResponse(open_seeks.open_seeks())


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Open a room and take its first seat."""
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        room = open_own_room(request, chosen(request.POST))
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code)


@require_POST
def quick_match(request: HttpRequest) -> HttpResponse:
    """Take a seat in a quick match of one of the chosen variants; `variant` is repeated for each."""
    check_may_sit(request)
    try:
        wishes = [name for name in request.POST.getlist("variant") if name in CATALOGUE]
        room = matchmaking.enter(seated_player(request), wishes or list(CATALOGUE))
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code, rated=True)


@require_POST
def race_bot(request: HttpRequest) -> HttpResponse:
    """Start a race against a bot; `racer` is its slug."""
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        racer = seating.bot_of(request.POST.get("racer", ""))
        room = seating.race_now(seated_player(request), racer)
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code)


@require_safe
@never_cache
def heat(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Redirect to the room of the next heat, or to the lobby before its doors open."""
    room = heats.next_room()
    return redirect("games:room", code=room.code) if room else redirect("games:races")
