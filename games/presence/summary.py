"""Who is playing today's deals at this moment, added up from what the processes report, for the home page."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final, TypedDict
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from games.models import Attempt, Presence
from games.players import people
from games.presence.reporting import GOOD_FOR
from games.readings import SharedCache

#: How many are named of all players, and of those at one deal.
NAMES: Final = 8
NAMES_AT_DEAL: Final = 3


class Named(TypedDict):
    """A player who may be named: the name, and the public id."""

    name: str
    player: str


class AtDeal(TypedDict):
    """How many players are at a deal's tables now, how many have begun it, and the names of some."""

    now: int
    begun: int
    names: list[str]


class Playing(TypedDict):
    """How many players are at the tables now, the names of some, and today's deals by variant."""

    players: int
    names: list[Named]
    deals: dict[str, AtDeal]


def read(now: datetime) -> Playing:
    """How many players are at the tables now, how many have begun each of today's deals, and the names of some.

    Guests are counted and not named.
    """
    rows = list(Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()))
    seated: Counter[str] = Counter()
    accounts: dict[str, list[int]] = {}
    for row in rows:
        for variant, told in row.tables.items():
            seated[variant] += told["now"]
            accounts.setdefault(variant, []).extend(told["accounts"])
    names = people().shown_names({player for players in accounts.values() for player in players})
    begun = _begun(now)
    everybody = dict.fromkeys(player for players in accounts.values() for player in players if player in names)
    return {
        "players": sum(row.players for row in rows),
        "names": [_named(names[player]) for player in list(everybody)[:NAMES]],
        "deals": {
            variant: {
                "now": seated[variant],
                "begun": max(begun.get(variant, 0), seated[variant]),
                "names": [names[player][0] for player in accounts.get(variant, []) if player in names][:NAMES_AT_DEAL],
            }
            for variant in sorted(begun.keys() | seated.keys())
        },
    }


def _begun(now: datetime) -> dict[str, int]:
    ranked = Attempt.objects.filter(deal__day=now.date(), ranked=True).order_by()
    return dict(ranked.values_list("deal__variant").annotate(begun=Count("id")))


def _named(name: tuple[str, UUID]) -> Named:
    return {"name": name[0], "player": str(name[1])}


playing: Final = SharedCache("playing", Playing, fresh=5.0)


def now_playing() -> Playing:
    """Who is playing, as of some seconds ago at most; it is read once for all who ask, in all processes."""
    return playing.get("", lambda: read(timezone.now()))
