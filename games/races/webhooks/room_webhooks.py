"""Webhooks of rooms: set and removed by the host, and found for a finished race.

Only accounts that are at least a day old can set one. The site sends requests and players' names in the host's name,
and limits per player mean nothing for guests and new accounts, which are free to create.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.core import events
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.races import rooms
from games.races.models import Race, Room, RoomWebhook
from games.races.network_limits import NEW_ACCOUNT
from games.races.webhooks.webhook_url import check_url

#: Age of a result after which it is no longer posted.
LATEST: Final = timedelta(hours=1)
#: Age of a result after which the task that posts it counts as lost.
_LOST: Final = timedelta(seconds=30)
_TOO_NEW: Final = _("Your account must be at least a day old for this.")


def may_set(player: Player, now: datetime | None = None) -> bool:
    """Return whether the player may set a webhook as a host."""
    return bool(player.has_page and player.date_joined <= (now or timezone.now()) - NEW_ACCOUNT)


def set_webhook(room_id: int, player: Player, url: str, language: str, now: datetime | None = None) -> None:
    """Set the webhook that gets the results of a hosted room, in this language.

    :raises Refusal: bad_webhook for a URL that is not allowed; or unless the player is the host and may set one.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        rooms.check_host(room, player.pk)
        if not may_set(player, now):
            raise Refusal(ErrorCode.ACCOUNT_REQUIRED, _TOO_NEW if player.has_page else "")
        RoomWebhook.objects.update_or_create(
            room=room,
            defaults={
                "player_id": player.pk,
                "url": check_url(url),
                "language": language,
                "state": RoomWebhook.State.UNUSED,
                "made_at": now,
                "state_at": now,
            },
        )


def remove_webhook(room_id: int, player_id: int) -> None:
    """Remove the room's webhook.

    :raises Refusal: unless the player is the host.
    """
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        rooms.check_host(room, player_id)
        RoomWebhook.objects.filter(room=room).delete()


def own_webhook(room: Room, player_id: int) -> RoomWebhook | None:
    """Return the room's webhook if this player set it and is still the host."""
    return RoomWebhook.objects.filter(room=room, player=player_id, room__host=player_id).first()


def claim_result(race_id: int, now: datetime | None = None) -> Race | None:
    """Mark a result as posted, and return its race with room and webhook; None if it is not to be posted.

    The mark comes before the sending (at-most-once delivery): if a task dies or runs twice, the channel may miss a
    result, but never gets it twice.
    """
    now = now or timezone.now()
    race = _due(now).filter(pk=race_id).select_related("room__webhook").first()
    claimed = race is not None and Race.objects.filter(pk=race_id, posted_at=None).update(posted_at=now)
    return race if claimed else None


def request_lost(now: datetime) -> None:
    """Request again the posting of results whose task was lost."""
    for race_id in _due(now).filter(finished_at__lt=now - _LOST).values_list("pk", flat=True):
        events.request_task("talon.post_result", race_id)


def _due(now: datetime) -> QuerySet[Race]:
    """Return the races with a result to post: those that finished after the host set the webhook."""
    unposted = Race.objects.filter(state=Race.State.FINISHED, posted_at=None, finished_at__gte=now - LATEST)
    return unposted.filter(
        room__webhook__url__gt="",
        room__webhook__player=F("room__host"),
        room__webhook__player__is_active=True,
        room__webhook__made_at__lte=F("finished_at"),
    )
