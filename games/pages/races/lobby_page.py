"""Race lobby: races to watch, seats to take, and new races."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from games.core import limits
from games.core.addresses import area_of, network_of
from games.core.errors import ErrorCode, Refusal, wants_json
from games.core.player_networks import remember_network
from games.db.players import Player, check_may_start, has_account, player_for, player_id
from games.fairplay import account_links
from games.pages.races.game_form import Chosen, choices, chosen
from games.pages.races.race_ready_notice import mark_waiting, seat_of
from games.presentation import titles
from games.races import heats, lobby, matchmaking, race_origins, rooms, seats, spoiled_starts
from games.races.house import house_seats
from games.races.models import Room
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


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Open a room and take its first seat. The player's unused rooms are closed."""
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        room = open_own_room(request, chosen(request.POST))
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code)


def open_own_room(request: HttpRequest, settings: Chosen) -> Room:
    """Open the requested room, and give its first seat to the session's player or a new guest.

    :raises Refusal: if there is no such game, or the player has a seat elsewhere.
    """
    player = seated_player(request)
    if seat_of(player.pk) is not None:
        raise Refusal(ErrorCode.ALREADY_RACING)
    rooms.close_unused(player.pk)
    if settings.public:
        rooms.check_may_list(player.pk)
    room = rooms.open_room(player, **asdict(settings))
    seats.sit(room.pk, player)
    return room


def check_may_sit(request: HttpRequest) -> None:
    """Check that a visitor may start a game and take a seat beside others. Creates nothing.

    :raises RateLimitedError: if the visitor has started too many games or spoiled too many starts.
    """
    check_may_start(request)
    spoiled_starts.check_may_sit(player_id(request), network_of(request), has_account=has_account(request))


def seated_player(request: HttpRequest) -> Player:
    """Return the player of this session, or a new guest, to be seated. Call `check_may_sit` first."""
    player = player_for(request)
    remember_network(player.pk, network_of(request))
    return player


@require_POST
def quick_match(request: HttpRequest) -> HttpResponse:
    """Take a seat in a quick match of one of the chosen variants; `variant` is repeated for each."""
    check_may_sit(request)
    try:
        wishes = [name for name in request.POST.getlist("variant") if name in CATALOGUE]
        room = matchmaking.enter(seated_player(request), wishes or list(CATALOGUE))
    except Refusal as refusal:
        return refused(request, refusal)
    mark_waiting(request)
    return to_seat(request, room.code, rated=True)


@require_POST
def race_bot(request: HttpRequest) -> HttpResponse:
    """Start a race against a house racer, which players see as a bot; `racer` is its slug."""
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        racer = house_seats.racer_of(request.POST.get("racer", ""))
        room = house_seats.race_now(seated_player(request), racer)
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code)


def to_seat(request: HttpRequest, code: str, *, rated: bool = False) -> HttpResponse:
    """Redirect a newly seated player to the room; for a rated race, store the browser and network of the entrant."""
    response = redirect("games:room", code=code)
    player = player_id(request)
    if rated and player is not None:
        device = account_links.device_of(request)
        race_origins.record(player, device, area_of(request))
        account_links.mark(response, device)
    return response


@require_safe
@never_cache
def heat(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Redirect to the room of the next heat, or to the lobby before its doors open."""
    room = heats.next_room()
    return redirect("games:room", code=room.code) if room else redirect("games:races")


def refused(request: HttpRequest, refusal: Refusal, *, fallback_code: str = "") -> HttpResponse:
    """Show a refusal in the room of the player's seat, in the room with the code `fallback_code`, or else in the lobby.

    API clients get the refusal itself.
    """
    if wants_json(request):
        raise refusal
    messages.error(request, refusal.sentence)
    seat = seat_of(player_id(request)) if refusal.code is ErrorCode.ALREADY_RACING else None
    code = seat.code if seat else fallback_code
    return redirect("games:room", code=code) if code else redirect("games:races")
