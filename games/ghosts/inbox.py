"""Notices: what a player is told on the site."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from django.db import transaction
from django.db.models import BigIntegerField
from django.utils import timezone

from games import limits
from games.compiled import Compiled, Given
from games.errors import RateLimitedError
from games.ghosts.models import Notice
from games.players import people

#: How many unread notices are counted; more are "9+".
COUNTED: Final = 10
_UNREAD: Final = Compiled(
    lambda: Notice.objects.filter(player=Given("player", BigIntegerField()), seen_at=None).values_list("pk")[:COUNTED]
)

#: How many unread notices of one kind a player can have because of one other.
UNREAD_FROM_ONE: Final = 3
_HOUR: Final = 3600

#: How many notices the inbox shows, and how long they are kept.
SHOWN: Final = 50
KEPT: Final = timedelta(days=90)


def put(player_id: int, kind: Notice.Kind, data: Mapping[str, Any], now: datetime | None = None) -> Notice:
    """Tell a player something. `data` names players by their ids, so that nobody's name is kept here."""
    return Notice.objects.create(player_id=player_id, kind=kind, data=dict(data), made_at=now or timezone.now())


def check_room(player_id: int, kind: Literal["challenged", "answered"], from_id: int) -> None:
    """Count one more notice to a player because of another, so that nobody buries a friend's.

    One player leaves few unread ones, and players whom the receiver does not follow leave few a day together.

    :raises RateLimitedError: when the receiver has too many.
    """
    unread_ones = Notice.objects.filter(player=player_id, kind=kind, seen_at=None, data__player=from_id)
    if unread_ones.count() >= UNREAD_FROM_ONE:
        raise RateLimitedError(_HOUR)
    if not people().follows(player_id, from_id):
        limits.spend_of(player_id, kind)


def renew(player_id: int, kind: Notice.Kind, data: Mapping[str, Any]) -> bool:
    """Say anew what an unread notice of this kind says of the same player; says whether there is one."""
    with transaction.atomic():
        unseen = Notice.objects.filter(player=player_id, kind=kind, seen_at=None, data__player=data["player"])
        is_there = unseen.delete()[0] > 0
        if is_there:
            put(player_id, kind, data)
    return is_there


def unread(player_id: int) -> int:
    """How many notices a player has not seen, at most `COUNTED`."""
    return len(_UNREAD.all(player=player_id))


def latest(player_id: int) -> list[Notice]:
    """A player's notices, the newest first."""
    return list(Notice.objects.filter(player=player_id).order_by("-id")[:SHOWN])


def mark_seen(player_id: int, now: datetime | None = None) -> int:
    """Mark all of a player's notices as seen; returns how many were not."""
    return Notice.objects.filter(player=player_id, seen_at=None).update(seen_at=now or timezone.now())


def hand_over(before: int, after: int, since: datetime) -> None:
    """Give the notices of a guest to the account that the guest has signed in to.

    Others' notices of an invitation that the guest has accepted name the account from then on. None of them is older
    than the guest, who came at `since`.
    """
    Notice.objects.filter(player=before).update(player=after)
    told = list(Notice.objects.filter(kind=Notice.Kind.JOINED, made_at__gte=since, data__player=before).order_by("id"))
    for notice in told:
        notice.data["player"] = after
    Notice.objects.bulk_update(told, ["data"])
