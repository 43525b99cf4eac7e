"""Form of a room's host for the webhook that gets the results."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.core import limits
from games.core.errors import ErrorCode, RateLimitedError, Refusal, wants_json
from games.db.players import Player
from games.pages.races.lobby_page import refused
from games.pages.races.result_post import trial_message
from games.pages.races.room_page import room_response
from games.pages.races.webhook_panel import webhook_panel
from games.races import rooms
from games.races.models import Room
from games.races.webhooks import room_webhooks
from games.races.webhooks.webhook_delivery import send


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
        return room_response(request, room, panel, refusal.code.status)
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
