"""Search for the deal of a race whose game is not in stock: deals made to order.

The search runs in a subprocess (`games.deals.deal_search`), whose output a worker thread reads. The thread counts
the seeds tried in the race's row as they are reported. If the worker dies the search ends, and tending requests
another.
"""

from __future__ import annotations

import threading
from typing import Final

from django.core.cache import cache
from django.db.models import F

from games.core.background_threads import run_in_background
from games.deals.deal_search import random_seeds, search_deals
from games.races import unseen_deals
from games.races.models import Race
from games.races.room_notifications import notify_room

#: Maximum seeds to try: for a common game the first or second is nearly always certified.
TRIES: Final = 40
#: Maximum seconds for one deal's search.
SECONDS: Final = 120.0
#: Expiry in seconds of the lock against parallel searches for a race; every seed reported renews it.
_CLAIM: Final = 30

#: Limit of concurrent searches per worker process; tending requests the others again.
_turns = threading.BoundedSemaphore(2)


def start_search(race_id: int) -> threading.Thread | None:
    """Start a thread that searches for the race's deal; return None if one is running or the limit is reached."""
    if not cache.add(_claim(race_id), 1, timeout=_CLAIM):
        return None
    if not _turns.acquire(blocking=False):
        cache.delete(_claim(race_id))
        return None

    def release() -> None:
        _turns.release()
        cache.delete(_claim(race_id))

    return run_in_background(f"race-deal-{race_id}", lambda: prepare(race_id), finally_=release)


def prepare(race_id: int) -> bool:
    """Search for the race's deal and return whether it was assigned one; mark the search as failed if none is found."""
    race = Race.objects.filter(pk=race_id, state=Race.State.OPEN, deal=None, deal_failed=False).first()
    if race is None or race.is_puzzle_race:
        return False
    variant = unseen_deals.variant_of(race)
    waiting = Race.objects.filter(
        pk=race_id, state=Race.State.OPEN, deal=None, variant=variant.name, game=variant.game, options=variant.options
    )
    for certificate in search_deals(variant, random_seeds(TRIES - race.deal_tries), SECONDS):
        cache.touch(_claim(race_id), _CLAIM)
        if not waiting.update(deal_tries=F("deal_tries") + 1):
            return False
        notify_room(race.room_id)
        if certificate is not None:
            return unseen_deals.assign_ordered_deal(race_id, variant, certificate)
    if waiting.update(deal_failed=True):
        notify_room(race.room_id)
    return False


def _claim(race_id: int) -> str:
    return f"talon.race_deal.{race_id}"
