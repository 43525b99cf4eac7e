"""Links between the entrants of a race: seats and daily games of one device or network.

Two entrants are linked if they have used the same browser within thirty days before the start, or the same network
within a day before it. The evidence is deleted after thirty days; `games.races.results.entrant_facts` keeps the groups.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from games.fairplay.account_links import KEPT, network_digest
from games.models import Attempt, Start
from games.races.models import Entrant, RaceOrigin

#: Age of a seat or daily game up to which its network can link entrants: addresses change hands.
NETWORK_AGE: Final = timedelta(days=1)


def record(player_id: int, device: uuid.UUID | None, area: str, now: datetime | None = None) -> None:
    """Store where a player takes a seat for a rated race; `area` is as in `games.core.addresses`."""
    now = now or timezone.now()
    RaceOrigin.objects.create(player_id=player_id, device=device, network=network_digest(area, now), made_at=now)


def linked_groups(players: Collection[int], starts_at: datetime) -> dict[int, int]:
    """Return the group of each linked player, numbered from 1. Links add up: A with B and B with C makes one group."""
    users: defaultdict[Hashable, set[int]] = defaultdict(set)
    seats = RaceOrigin.objects.filter(player__in=players, made_at__lte=starts_at)
    games = Start.objects.filter(attempt__player__in=players, made_at__lte=starts_at)
    for rows, player in ((seats, "player"), (games, "attempt__player")):
        by_device = rows.filter(made_at__gt=starts_at - KEPT).filter(device__isnull=False)
        for who, device in by_device.values_list(player, "device").distinct():
            users[device].add(who)
        by_network = rows.filter(made_at__gt=starts_at - NETWORK_AGE).exclude(network=b"")
        for who, network in by_network.values_list(player, "network").distinct():
            users[bytes(network)].add(who)
    return _numbered(users.values())


def linked_racers(attempt: Attempt) -> QuerySet[Attempt]:
    """Return the attempts of the entrants with whom the attempt's player is linked in its race. For staff."""
    linked = Entrant.objects.filter(attempt=attempt, link_group__gt=0)
    together = Q(entrant__race__in=linked.values("race"), entrant__link_group__in=linked.values("link_group"))
    return Attempt.objects.filter(together).exclude(pk=attempt.pk)


def _numbered(sets: Iterable[set[int]]) -> dict[int, int]:
    """Merge overlapping sets of two or more, and number them in the order of their smallest members."""
    merged: list[set[int]] = []
    for members in sets:
        apart = [group for group in merged if not group & members]
        merged = [*apart, members.union(*(group for group in merged if group & members))]
    groups = sorted((group for group in merged if len(group) > 1), key=min)
    return {player: number for number, group in enumerate(groups, 1) for player in group}
