"""The inbox: notices to a player on the site."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from django.db import transaction
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from games.core import limits
from games.core.addresses import UNKNOWN, is_known
from games.core.errors import RateLimitedError
from games.db.players import player_services
from games.inbox.models import Notice

#: Cap on counting unread notices; the site shows "9+" from here on.
MAX_COUNTED: Final = 10

#: Maximum unread notices of one kind that one player can cause for another.
MAX_UNREAD_PER_SENDER: Final = 3
_HOUR: Final = 3600

#: Number of notices shown in the inbox, in all and of one kind, and their retention. Other players cannot push each
#: other kind out with many of one.
MAX_SHOWN: Final = 50
MAX_OF_KIND: Final = 30
KEPT: Final = timedelta(days=90)


def put(player_id: int, kind: Notice.Kind, data: Mapping[str, Any], now: datetime | None = None) -> Notice:
    """Send a player a notice. `data` refers to players by id, so that no names are stored here."""
    return Notice.objects.create(player_id=player_id, kind=kind, data=dict(data), made_at=now or timezone.now())


def check_limits(player_id: int, kind: Literal["challenged", "answered"], from_id: int, network: str = UNKNOWN) -> None:
    """Count a notice that one player causes for another against the receiver's limits, to prevent spam.

    One player can cause only a few unread notices, and all players whom the receiver does not follow share a small
    daily limit, of which one known network gets only a part.

    :raises RateLimitedError: if the receiver has too many.
    """
    pending = Notice.objects.filter(player=player_id, kind=kind, seen_at=None, data__player=from_id)
    if pending.count() >= MAX_UNREAD_PER_SENDER:
        raise RateLimitedError(_HOUR)
    if not player_services().follows(player_id, from_id):
        if is_known(network):
            limits.spend_of(network, "notify", receiver=player_id)
        limits.spend_of(player_id, kind)


def renew(player_id: int, kind: Notice.Kind, data: Mapping[str, Any]) -> bool:
    """Replace an unread notice of this kind about the same player with a new one; return whether there was one."""
    with transaction.atomic():
        unseen = Notice.objects.filter(player=player_id, kind=kind, seen_at=None, data__player=data["player"])
        was_replaced = unseen.delete()[0] > 0
        if was_replaced:
            put(player_id, kind, data)
    return was_replaced


def latest(player_id: int) -> list[Notice]:
    """Return a player's notices, newest first."""
    number = Window(RowNumber(), partition_by=F("kind"), order_by=F("id").desc())
    notices = Notice.objects.filter(player=player_id).annotate(number=number).filter(number__lte=MAX_OF_KIND)
    return list(notices.order_by("-id")[:MAX_SHOWN])


def mark_seen(player_id: int, now: datetime | None = None) -> int:
    """Mark all of a player's notices as seen; return the number that were unread."""
    return Notice.objects.filter(player=player_id, seen_at=None).update(seen_at=now or timezone.now())


def hand_over(before: int, after: int, since: datetime) -> None:
    """Move a guest's notices to the account they signed in to.

    Notices to other players about the guest's accepted invitations now refer to the account. All of them are newer than
    the guest, who was created at `since`.
    """
    Notice.objects.filter(player=before).update(player=after)
    joined = Notice.objects.filter(kind=Notice.Kind.JOINED, made_at__gte=since, data__player=before)
    notices = list(joined.order_by("id"))
    for notice in notices:
        notice.data["player"] = after
    Notice.objects.bulk_update(notices, ["data"])
