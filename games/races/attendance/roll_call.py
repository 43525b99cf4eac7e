"""Roll call before a race.

With every heartbeat, each process calls the pages of the next race's players, and records who answered the last call.
Those present when the seats are frozen will race, unless a second look shortly before the start finds that they have
left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from games.races import rooms
from games.races.models import Entrant, Race, Room

#: Time for which a player counts as present after each sign.
PRESENT_FOR: Final = timedelta(seconds=5)
#: Time for which the seek of a player whose last page was closed stays open: another page of the site may be loading.
LEFT_AFTER: Final = timedelta(seconds=2)
#: Time before a scheduled race from which signs are recorded: a thousand players may wait for it.
CALLED: Final = timedelta(seconds=45)


def record_present(entrant_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that the players of these entrants are present, unless the race has started."""
    now = now or timezone.now()
    is_called = Q(race__scheduled_at=None) | Q(race__scheduled_at__lte=now + CALLED)
    waiting = Entrant.objects.filter(is_called, pk__in=entrant_ids, race__state__in=rooms.TO_COME)
    waiting.update(here_until=now + PRESENT_FOR)


def record_left(entrant_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that players waiting for an opponent have closed their page, until the next sign of them."""
    until = (now or timezone.now()) + LEFT_AFTER
    alone = Entrant.objects.filter(pk__in=entrant_ids, race__state=Race.State.OPEN, race__gathers_until=None)
    alone.filter(race__room__kind=Room.Kind.QUICK, here_until__gt=until).update(here_until=until)


def present(entrants: Iterable[Entrant], now: datetime, host_id: int | None = None) -> list[Entrant]:
    """Return the entrants who are present: bots, the host who gives the command, and players whose page answers.

    If no page seems to answer, the records must be lost, so all count as present.
    """
    entrants = list(entrants)
    if not any(entrant.here_until and entrant.here_until > now for entrant in entrants):
        return entrants
    return [entrant for entrant in entrants if entrant.player_id == host_id or is_present(entrant, now)]


def is_present(entrant: Entrant, now: datetime) -> bool:
    """Return whether an entrant is a bot, or a player whose page was heard in the last few seconds."""
    return entrant.here_until is None or entrant.here_until > now
