"""Summary of the players of today's deals, aggregated from the processes' presence reports, for the home page."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final, TypedDict

from django.db.models import Count
from django.utils import timezone

from games.db.players import player_services
from games.db.shared_cache import SharedCache
from games.models import Attempt, Presence
from games.presence.heartbeat import GOOD_FOR

#: Maximum number of names shown.
NAMES: Final = 8
#: Seconds for which a reading is served, by the site and by browsers.
FRESH: Final = 5.0


class NamedPlayer(TypedDict):
    """A named player: the name and the public id."""

    name: str
    player: str


class AtDeal(TypedDict):
    """A deal's number of current players, and number of attempts begun."""

    now: int
    begun: int


class Playing(TypedDict):
    """The number of current players, some of their names, and today's deals by variant."""

    players: int
    names: list[NamedPlayer]
    deals: dict[str, AtDeal]


def read(now: datetime) -> Playing:
    """Read the current players, and today's deals with the number of ranked attempts begun at each.

    Guests are counted but not named.
    """
    rows = list(Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()))
    seated: Counter[str] = Counter()
    accounts: list[int] = []
    for row in rows:
        for variant, counts in row.tables.items():
            seated[variant] += counts["now"]
            accounts += counts["accounts"]
    names = player_services().shown_names(set(accounts))
    ranked = Attempt.objects.filter(deal__day=now.date(), ranked=True).order_by()
    started = dict(ranked.values_list("deal__variant").annotate(begun=Count("id")))
    shown = [names[player] for player in dict.fromkeys(accounts) if player in names][:NAMES]
    return {
        "players": sum(row.players for row in rows),
        "names": [{"name": name, "player": str(page)} for name, page in shown],
        "deals": {
            variant: {"now": seated[variant], "begun": max(started.get(variant, 0), seated[variant])}
            for variant in sorted(started.keys() | seated.keys())
        },
    }


playing: Final = SharedCache("playing", Playing, fresh=FRESH)


def now_playing() -> Playing:
    """Return the current players, at most a few seconds old, from a cache shared by all processes."""
    return playing.get("", lambda: read(timezone.now()))
