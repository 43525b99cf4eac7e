"""Has deals made to order, for races of games that the stock does not have.

The search runs in a process of its own (`games.deals.to_order`), which a thread of the worker reads. The seeds tried
are counted in the race's row as they come. If the worker dies the search ends, and tending asks for another.
"""

from __future__ import annotations

import threading
from typing import Final

from django.core.cache import cache
from django.db.models import F

from games.deals.searching import checked, search
from games.races import deals, starting
from games.races.models import Race
from games.races.telling import tell_room
from games.threads import run_beside

#: When no more seeds are tried: nearly every deal of a usual game is certified at the first or second.
TRIES: Final = 40
#: The most that the search for one deal may take.
SECONDS: Final = 120.0
#: How long one search keeps others of the same race from beginning: until it says something, and a little more.
_CLAIM: Final = 30

#: The most searches at a time in one worker process; tending asks again for the others.
_turns = threading.BoundedSemaphore(2)


def prepare_soon(race_id: int) -> threading.Thread | None:
    """Look for the race's deal in a thread of this worker, unless that is being done."""
    if not cache.add(_claim(race_id), 1, timeout=_CLAIM):
        return None
    if not _turns.acquire(blocking=False):
        cache.delete(_claim(race_id))
        return None

    def give_back() -> None:
        _turns.release()
        cache.delete(_claim(race_id))

    return run_beside(f"race-deal-{race_id}", lambda: prepare(race_id), finally_=give_back)


def prepare(race_id: int) -> bool:
    """Look for the race's deal; returns whether it has got one. After too many tries the race is told that there is
    none.
    """
    race = Race.objects.filter(pk=race_id, state=Race.State.OPEN, deal=None, deal_failed=False).first()
    if race is None:
        return False
    wanted = deals.wanted_by(race)
    waiting = Race.objects.filter(
        pk=race_id, state=Race.State.OPEN, deal=None, variant=wanted.name, game=wanted.game, options=wanted.options
    )
    for said in search(wanted, SECONDS, tries=max(TRIES - race.deal_tries, 0)):
        if "record" in said:
            if not deals.deal_made(race_id, wanted, checked(said, wanted)):
                return False
            starting.start_if_ready(race.room_id)
            return True
        cache.touch(_claim(race_id), _CLAIM)
        if not waiting.update(deal_tries=F("deal_tries") + 1):
            return False
        tell_room(race.room_id)
    if waiting.update(deal_failed=True):
        tell_room(race.room_id)
    return False


def _claim(race_id: int) -> str:
    return f"talon.race_deal.{race_id}"
