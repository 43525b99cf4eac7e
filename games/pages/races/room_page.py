"""Room page, its overlay for streams, seats for visitors with its link, and the host's form for the webhook."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.core import limits
from games.core.errors import ErrorCode, RateLimitedError, Refusal, wants_json
from games.db.players import Player, player_id
from games.pages.races.game_form import choices
from games.pages.races.webhook_panel import Panel, webhook_panel
from games.presentation import titles
from games.races import heats, rooms, seats
from games.races.attendance.waiting_session import mark_waiting, show_note
from games.races.joining import check_may_sit, refused, seated_player, to_seat
from games.races.models import PUZZLES, Race, Room
from games.races.webhooks import room_webhooks
from games.races.webhooks.result_post import send, trial_message

#: Text size of the overlay in percent.
_SIZE: Final = 100
_MIN_SIZE: Final = 50
_MAX_SIZE: Final = 300


@require_safe
@never_cache
@ensure_csrf_cookie
def room(request: HttpRequest, code: str) -> HttpResponse:
    """Show the room, which is updated over the WebSocket. A closed room shows its results."""
    found = get_object_or_404(Room, code=code)
    show_note(request)
    if reason := _reason_shut(found, player_id(request)):
        finished = Race.objects.filter(room=found, state=Race.State.FINISHED).order_by("-number")
        context = {
            "room": found,
            "results": finished.values_list("number", flat=True),
            "why": reason.value,
            "sentence": reason.sentence,
        }
        return render(request, "races/shut.html", context, status=reason.status)
    response = _room_response(request, found, webhook_panel(request, found))
    if player_id(request) is not None:
        mark_waiting(request)  # a seat may be taken through the socket
    return response


def _room_response(request: HttpRequest, room: Room, panel: Panel | None, status: int = 200) -> HttpResponse:
    """Render the page of an open room, with the panel for its webhook."""
    context = {
        "room": room,
        "link": settings.PUBLIC_URL + reverse("games:room", args=[room.code]),
        "title": titles.deal_title(room.variant, room.game),
        "next_race": _next_race(room),
        "naming": titles.for_client(),
        "choices": choices(),
        "games": [*(name for name, _title, _options in titles.games_and_options()), PUZZLES],
        "webhook": panel,
    }
    return render(request, "races/room.html", context, status=status)


def _next_race(room: Room) -> datetime | None:
    """Return the start of the heat after the one in this room; None in other rooms."""
    if room.kind != Room.Kind.HEAT:
        return None
    return heats.next_after(Race.objects.get(room=room).scheduled_at, timezone.now())


@require_safe
@never_cache
def overlay(request: HttpRequest, code: str) -> HttpResponse:
    """Show only the lanes of a room's race, for streams; `?size=` is the text size in percent."""
    context = {
        "room": get_object_or_404(Room, code=code),
        "size": _overlay_size(request.GET.get("size", "")),
        "naming": titles.for_client(),
    }
    return render(request, "races/overlay.html", context)


def _overlay_size(text: str) -> int:
    try:
        size = int(text)
    except ValueError:
        return _SIZE
    return size if _MIN_SIZE <= size <= _MAX_SIZE else _SIZE


@require_POST
def sit(request: HttpRequest, code: str) -> HttpResponse:
    """Take a seat in the next race; a visitor without an account becomes a guest."""
    found = get_object_or_404(Room, code=code)
    if reason := _reason_shut(found, player_id(request)):
        raise Refusal(reason)
    check_may_sit(request)
    try:
        entrant = seats.sit(found.pk, seated_player(request))
    except Refusal as refusal:
        return refused(request, refusal, fallback_code=code)
    return to_seat(request, code, rated=entrant.race.rated)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def webhook(request: HttpRequest, code: str) -> HttpResponse:
    """Set, try or remove the webhook; `do` says which. A GET, after a refused form, leads back to the room."""
    if request.method != "POST":
        return redirect("games:room", code=code)
    limits.spend(request, "preferences")
    room = get_object_or_404(Room, code=code)
    if not request.user.is_authenticated:
        raise Refusal(ErrorCode.NOT_HOST)
    player: Player = request.user
    try:
        _do(request.POST.get("do", ""), room, player, request.POST.get("webhook_url", ""))
    except RateLimitedError as refusal:
        return refused(request, refusal, fallback_code=code)
    except Refusal as refusal:
        if refusal.code != ErrorCode.BAD_WEBHOOK or wants_json(request):
            raise
        panel = webhook_panel(request, room, typed=request.POST.get("webhook_url", ""), error=refusal.sentence)
        return _room_response(request, room, panel, refusal.code.status)
    return redirect(f"{reverse('games:room', args=[code])}#webhook")


def _do(action: str, room: Room, player: Player, url: str) -> None:
    if action == "set":
        room_webhooks.set_webhook(room.pk, player, url, get_language() or "")
    elif action == "try":
        _try(room, player)
    elif action == "remove":
        room_webhooks.remove_webhook(room.pk, player.pk)
    else:
        raise Refusal(ErrorCode.BAD_REQUEST)


def _try(room: Room, player: Player) -> None:
    """Send a message while the host waits, for a few seconds at most, because they want to see the outcome."""
    rooms.check_host(room, player.pk)
    found = room_webhooks.own_webhook(room, player.pk)
    if found is not None and found.url:
        send(found, trial_message(found.language))


def _reason_shut(room: Room, player: int | None) -> ErrorCode | None:
    if room.closed_at is not None:
        return ErrorCode.ROOM_CLOSED
    return ErrorCode.KICKED if player is not None and player in room.kicked else None
