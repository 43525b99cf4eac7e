"""Notices: what a player is told on the site."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import BigAutoField
from django.utils import timezone

from games.compiled import Compiled, Given
from games.ghosts.models import Notice
from games.replicas.routing import reading_primary

#: How many unread notices are counted; more are "9+".
COUNTED: Final = 10

#: Seconds for which a count is remembered, so that a page does not ask the database. Whoever is told something, or
#: looks at the inbox, is counted anew at once; only a page that was counting in that very moment may be behind so long.
FRESH = 60

#: How many notices the inbox shows, and how long they are kept.
SHOWN: Final = 50
KEPT: Final = timedelta(days=90)

_UNREAD: Final = Compiled(
    lambda: Notice.objects.filter(player=Given("player", BigAutoField()), seen_at=None).only("pk")[:COUNTED]
)


def put(player_id: int, kind: Notice.Kind, data: Mapping[str, Any], now: datetime | None = None) -> Notice:
    """Tell a player something. `data` names players by their ids, so that nobody's name is kept here."""
    with transaction.atomic():
        count_anew(player_id)
        return Notice.objects.create(player_id=player_id, kind=kind, data=dict(data), made_at=now or timezone.now())


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
    known: int | None = cache.get(_key(player_id))
    if known is not None:
        return known
    with reading_primary():  # it is kept for a while, after a notice has come too
        count = len(_UNREAD.all(player=player_id))
    cache.set(_key(player_id), count, timeout=FRESH)
    return count


def count_anew(player_id: int) -> None:
    """Have a player's notices counted again, once what is changed here is committed."""
    transaction.on_commit(partial(cache.delete, _key(player_id)))


def latest(player_id: int) -> list[Notice]:
    """A player's notices, the newest first."""
    return list(Notice.objects.filter(player=player_id).order_by("-id")[:SHOWN])


def mark_seen(player_id: int, now: datetime | None = None) -> int:
    """Mark all of a player's notices as seen; returns how many were not."""
    with transaction.atomic():
        count_anew(player_id)
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
    count_anew(after)


def _key(player_id: int) -> str:
    return f"inbox.{player_id}"
