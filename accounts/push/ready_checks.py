"""Ready checks by push, for players whose quick match finds an opponent while they have no page of the site open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from math import ceil
from typing import Final

from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.push import devices, vapid_key
from accounts.push.delivery import Message, send
from accounts.push.dispatch import Clock, Notification, Send, addressed, send_all
from games.races.models import Entrant
from games.races.quick_match import matchmaking

#: Minimum seconds between two checks for a player. A task may run twice, and opponents may come and go.
_REMEMBERED_FOR: Final = 60


def send_ready_checks(arrival_id: int, send: Send = send, clock: Clock = timezone.now) -> int:
    """Push the ready check that this entrant's arrival causes; return the number of browsers that accepted it."""
    if not vapid_key.is_on():
        return 0
    arrival = Entrant.objects.select_related("race__room").filter(pk=arrival_id).first()
    if arrival is None:
        return 0
    now, until = clock(), arrival.joined_at + matchmaking.CONFIRM_WITHIN
    waiting = matchmaking.unconfirmed_absentees(arrival, now)
    code = arrival.race.room.code
    return send_all([message for player in waiting for message in _messages(player, code, now, until)], send)


def _messages(player: User, code: str, now: datetime, until: datetime) -> Iterator[Message]:
    found = list(devices.live_devices(player.pk))
    # Claimed before it is sent, so that a task that runs at the same time does not send it, too.
    if found and cache.add(f"ready-check:{player.pk}", True, _REMEMBERED_FOR):
        seconds = ceil((until - now).total_seconds())
        write = partial(_notification, code, seconds)
        yield from addressed(player, found, write, seconds=seconds, topic="ready", urgency="high")


def _notification(code: str, seconds: int) -> Notification:
    body = ngettext(
        "Opponent found. Confirm within %(seconds)s second.",
        "Opponent found. Confirm within %(seconds)s seconds.",
        seconds,
    )
    return Notification(_("Your race is ready"), body % {"seconds": seconds}, reverse("games:room", args=[code]))
