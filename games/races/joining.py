"""Joining a race from a web page: the checks, the visitor's player and room, and the redirect to the seat."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from games.core.addresses import area_of, network_of
from games.core.errors import ErrorCode, Refusal, wants_json
from games.core.player_networks import remember_network
from games.db.players import Player, check_may_start, has_account, player_for, player_id
from games.fairplay import account_links
from games.races import network_limits, origins, rooms, seats
from games.races.attendance.roll_call import clear_note
from games.races.attendance.waiting_session import mark_waiting
from games.races.models import Room


def check_may_sit(request: HttpRequest) -> None:
    """Check that a visitor may start a game and take a seat beside others. Creates nothing.

    :raises RateLimitedError: if the visitor has started too many games or spoiled too many starts.
    """
    check_may_start(request)
    network_limits.check_may_sit(player_id(request), network_of(request), has_account=has_account(request))


def seated_player(request: HttpRequest) -> Player:
    """Return the player of this session, or a new guest, to be seated. Call `check_may_sit` first."""
    player = player_for(request)
    remember_network(player.pk, network_of(request))
    return player


def open_own_room(request: HttpRequest, settings: rooms.Settings) -> Room:
    """Open a room, and give its first seat to the session's player or a new guest. Their unused rooms are closed.

    :raises Refusal: if there is no such game, or the player has a seat elsewhere.
    """
    player = seated_player(request)
    if seats.seat_of(player.pk) is not None:
        raise Refusal(ErrorCode.ALREADY_RACING)
    rooms.close_unused(player.pk)
    if settings.public:
        rooms.check_may_list(player.pk)
    room = rooms.open_room(player, **asdict(settings))
    seats.sit(room.pk, player)
    return room


def to_seat(request: HttpRequest, code: str, *, rated: bool = False) -> HttpResponse:
    """Redirect a newly seated player to the room; for a rated race, store the browser and network of the entrant."""
    mark_waiting(request)
    response = redirect("games:room", code=code)
    player = player_id(request)
    clear_note(player)
    if rated and player is not None:
        device = account_links.device_of(request)
        origins.record(player, device, area_of(request))
        account_links.mark(response, device)
    return response


def refused(request: HttpRequest, refusal: Refusal, *, fallback_code: str = "") -> HttpResponse:
    """Show a refusal in the room of the player's seat, in the room with the code `fallback_code`, or else in the lobby.

    API clients get the refusal itself.
    """
    if wants_json(request):
        raise refusal
    messages.error(request, refusal.sentence)
    seat = seats.seat_of(player_id(request)) if refusal.code is ErrorCode.ALREADY_RACING else None
    code = seat.code if seat else fallback_code
    return redirect("games:room", code=code) if code else redirect("games:races")
