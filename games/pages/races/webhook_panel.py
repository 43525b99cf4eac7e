"""Panel on the room page with which a host sets the webhook for the results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.races.models import Room, RoomWebhook
from games.races.rooms import HOSTED
from games.races.webhooks.room_webhooks import may_set, own_webhook
from games.races.webhooks.webhook_url import MAX_LENGTH, short_form

_S: Final = RoomWebhook.State
#: Outcome of the last message as the host reads it.
_OUTCOMES: Final = {
    _S.POSTED: _("The last message was posted."),
    _S.FAILED: _("The last message was not delivered."),
    _S.DROPPED: _("The last result was not posted: there were too many within an hour."),
    _S.GONE: _("The webhook was removed, because Discord no longer knows it."),
}


@dataclass(frozen=True, slots=True)
class Panel:
    """The visible part of a room's webhook, which never includes the stored URL.

    It is empty and hidden until the viewer becomes host. `typed` is a refused URL, and `error` the reason.
    """

    is_host: bool
    short: str = ""
    outcome: str | Promise = ""
    outcome_at: datetime | None = None
    is_fault: bool = False
    typed: str = ""
    error: str | Promise = ""
    max_length: int = MAX_LENGTH


def webhook_panel(request: HttpRequest, room: Room, *, typed: str = "", error: str | Promise = "") -> Panel | None:
    """Return the panel if the player may set webhooks, hidden unless they are the room's host; None otherwise."""
    player = request.user
    if room.kind not in HOSTED or not settings.WEBHOOK_SERVICES or not player.is_authenticated or not may_set(player):
        return None
    webhook = own_webhook(room, player.pk) if room.host_id == player.pk else None
    if webhook is None:
        return Panel(room.host_id == player.pk, typed=typed, error=error)
    state = _S(webhook.state)
    return Panel(
        is_host=True,
        short=short_form(webhook.url) if webhook.url else "",
        outcome=_OUTCOMES.get(state, ""),
        outcome_at=webhook.state_at,
        is_fault=state not in (_S.UNUSED, _S.POSTED),
        typed=typed,
        error=error,
    )
