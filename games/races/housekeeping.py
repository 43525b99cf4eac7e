"""Retention rules for data that races leave behind; see `games.core.retention`. Races that were run are kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from games.core.retention import Aged, rows
from games.fairplay.account_links import KEPT
from games.models import Deal
from games.races.models import Race, RaceOrigin, Room


def _remove_unseen_deals(before: datetime, size: int) -> int:
    unseen = Deal.objects.filter(for_race=True, races=None, attempts=None, created_at__lt=before)
    with transaction.atomic():
        # A race taking one of these deals now waits for the lock; the second query excludes deals taken before.
        keys = list(unseen.order_by("pk").values_list("pk", flat=True)[:size])
        locked = Deal.objects.select_for_update().filter(pk__in=keys).order_by("pk").values_list("pk", flat=True)
        return rows(unseen.filter(pk__in=list(locked)), size)


def _remove_idle_rooms(before: datetime, size: int) -> int:
    run = Race.objects.filter(room=OuterRef("pk")).exclude(void=Race.Void.NOT_STARTED)
    idle = Room.objects.filter(closed_at__lt=before).exclude(Exists(run))
    keys = list(idle.order_by("pk").values_list("pk", flat=True)[:size])
    with transaction.atomic():
        Race.objects.filter(room__in=keys).delete()
        return rows(idle.filter(pk__in=keys), size)


_DAY: Final = timedelta(days=1)

KINDS: Final = (
    Aged(Deal, "race deals that no player has seen", _DAY, _remove_unseen_deals),
    Aged(RaceOrigin, "device and network of seats in rated races", KEPT, "made_at"),
    Aged(Room, "rooms without a race", 7 * _DAY, _remove_idle_rooms),
)
