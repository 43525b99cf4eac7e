"""Open seeks: the list of players waiting for a quick match, for the lobby, home, practice and practice tables.

The list is the same for all visitors and free of text to translate. One player or network can fill only a third of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypedDict

from django.utils import timezone

from games.db.players import player_services
from games.db.shared_cache import SharedCache
from games.races import network_limits
from games.races.quick_match import matchmaking

_LISTED: Final = 24
#: Number of seeks from which the list is chosen.
_CONSIDERED: Final = 2000
#: Seconds for which a reading is served, of the two that pass between two requests of a page.
FRESH: Final = 0.5


class Seek(TypedDict):
    """A player waiting for a quick match, and the variants they accept; `since` is in milliseconds since 1970.

    `name` is empty if the player may not be named.
    """

    name: str
    avatar: str
    variants: list[str]
    since: int


class OpenSeeks(TypedDict):
    """The seeks at `now`, in milliseconds since 1970, in order of arrival."""

    now: int
    seeks: list[Seek]


_cache: Final = SharedCache("seeks", OpenSeeks, fresh=FRESH)


def open_seeks() -> OpenSeeks:
    """Return the open seeks from a cache shared by all processes."""
    return _cache.get("", lambda: read(timezone.now()))


def read(now: datetime) -> OpenSeeks:
    """Read the open seeks from the database."""
    waiting = {seek.race_id: seek for seek in matchmaking.waiting(now)[:_CONSIDERED]}
    shown = network_limits.fair_share({race: [seek.player_id or 0] for race, seek in waiting.items()}, _LISTED)
    names = player_services().shown_names({waiting[race].player_id or 0 for race in shown})
    seeks: list[Seek] = []
    for seek in map(waiting.__getitem__, shown):
        name = str(names[seek.player_id][0]) if seek.player_id in names else ""
        avatar, wishes = player_services().avatar_of(name), matchmaking.wishes_of(seek)
        seeks.append({"name": name, "avatar": avatar, "variants": wishes, "since": _ms(seek.joined_at)})
    return {"now": _ms(now), "seeks": seeks}


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
