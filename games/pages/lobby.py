"""The lobby of races: where to watch, where to sit down, and how to begin one."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games import limits
from games.addresses import network_of
from games.admission import give_pass
from games.errors import ErrorCode, Refusal, wants_json
from games.pages import titles
from games.pages.chosen import Chosen, choices, chosen
from games.pages.waiting import mark_waiting, seat_of
from games.players import Player, check_may_begin, has_account, player_for, player_id
from games.races import conduct, heats, lobby, quick, rooms, seats
from games.races.models import Room
from games.rules import CATALOGUE

#: Refusals that have to do with a seat elsewhere: the way there is the answer.
_ELSEWHERE: Final = frozenset({ErrorCode.ALREADY_RACING})


@require_safe
@never_cache
def races(request: HttpRequest) -> HttpResponse:
    """The lobby; what is going on comes with the page, and again every few seconds."""
    context = {
        "lobby": lobby.now_in_the_lobby(),
        "naming": titles.for_client(),
        "choices": choices(),
        "variants": [{"name": name, "title": titles.VARIANT_TITLES[name]} for name in CATALOGUE],
        "seat": seat_of(player_id(request)),
    }
    return render(request, "races/lobby.html", context)


@require_safe
def lobby_json(request: HttpRequest) -> JsonResponse:  # noqa: ARG001
    """What is going on, the same for everybody."""
    response = JsonResponse(lobby.now_in_the_lobby())
    response["Cache-Control"] = f"max-age={lobby.lobbies.fresh:.0f}"
    return response


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Make a room, and take the first seat in it. Rooms that the player has made and nobody uses are closed."""
    limits.spend(request, "room")
    check_may_sit(request)
    try:
        room = open_own_room(request, chosen(request.POST))
    except Refusal as refusal:
        return refused(request, refusal)
    return to_seat(request, room.code)


def open_own_room(request: HttpRequest, asked: Chosen) -> Room:
    """Make the room that is asked for, and give whoever plays in this session, or a new guest, the first seat in it.

    :raises Refusal: for a game that there is not, and to those who have a seat elsewhere.
    """
    player = seated_player(request)
    _check_free(player.pk)
    rooms.close_unused(player.pk)
    if asked.public:
        conduct.check_may_list(player.pk, network_of(request))
    room = rooms.open_room(
        player, asked.name, asked.options, public=asked.public, limit_s=asked.limit_s, seats=asked.seats
    )
    if asked.public:
        conduct.note_listed(room.pk, network_of(request))
    seats.sit(room.pk, player)
    return room


def check_may_sit(request: HttpRequest) -> None:
    """Check that a visitor may begin a game, and take a seat beside others. Nothing is made before.

    :raises RateLimitedError: when too many games were begun, or too many starts spoiled.
    """
    check_may_begin(request)
    conduct.check_may_sit(player_id(request), network_of(request), has_account=has_account(request))


def seated_player(request: HttpRequest) -> Player:
    """Return the player of this session, or a new guest, who is about to take a seat; `check_may_sit` comes first."""
    player = player_for(request)
    conduct.remember_network(player.pk, network_of(request), has_account=player.has_page)
    return player


@require_POST
def quick_match(request: HttpRequest) -> HttpResponse:
    """Take a seat beside whoever wants one of the same variants; `variant` is given once for each."""
    check_may_sit(request)
    try:
        wishes = [name for name in request.POST.getlist("variant") if name in CATALOGUE]
        room = quick.enter(seated_player(request), wishes or list(CATALOGUE))
    except Refusal as refusal:
        return refused(request, refusal)
    mark_waiting(request)
    return to_seat(request, room.code)


def to_seat(request: HttpRequest, code: str) -> HttpResponse:
    """Lead whoever has just taken a seat to the room, past the queue: the race will not wait for them."""
    response = redirect("games:room", code=code)
    give_pass(request, response)
    return response


@require_safe
@never_cache
def heat(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The room of the next heat; before its doors open, the lobby."""
    room = heats.next_room()
    return redirect("games:room", code=room.code) if room else redirect("games:races")


def refused(request: HttpRequest, refusal: Refusal, *, stays: str = "") -> HttpResponse:
    """Say why: where the player has a seat already, in the room whose code is `stays`, or else in the lobby.

    Programs get the refusal itself.
    """
    if wants_json(request):
        raise refusal
    messages.error(request, refusal.sentence)
    seat = seat_of(player_id(request)) if refusal.code in _ELSEWHERE else None
    code = seat.code if seat else stays
    return redirect("games:room", code=code) if code else redirect("games:races")


def _check_free(player: int) -> None:
    """Nobody makes a room while they have a seat.

    :raises Refusal: for who has one.
    """
    if seat_of(player) is not None:
        raise Refusal(ErrorCode.ALREADY_RACING)
