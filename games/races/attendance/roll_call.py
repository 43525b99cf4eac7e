"""Roll call: the players who have a page of their race open.

Processes with viewers of a room record every two seconds which players in the next race they are connected to. When the
seats are frozen, the players who are present race. Shortly before the start, a second look marks those who have gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from games.races import rooms
from games.races.models import Entrant

#: Time for which a player counts as present after each sign, and seconds between signs.
PRESENT_FOR: Final = timedelta(seconds=5)
RECORD_EVERY: Final = 2.0


def record_present(entrant_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that the players of these entrants have a page of the race open, unless it has started."""
    waiting = Entrant.objects.filter(pk__in=entrant_ids, race__state__in=rooms.TO_COME)
    waiting.update(here_until=(now or timezone.now()) + PRESENT_FOR)


def present(entrants: Iterable[Entrant], now: datetime, host_id: int | None = None) -> list[Entrant]:
    """Return the entrants who are present: bots, the host who gives the command, and players with a sign.

    If there is no sign of any player, the signs are lost, not the players: then all are present.
    """
    entrants = list(entrants)
    if not any(entrant.here_until and entrant.here_until > now for entrant in entrants):
        return entrants
    return [entrant for entrant in entrants if entrant.player_id == host_id or is_present(entrant, now)]


def is_present(entrant: Entrant, now: datetime) -> bool:
    """Return whether an entrant is a bot, or a player who has given a sign lately."""
    return entrant.here_until is None or entrant.here_until > now
