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

from games.core.addresses import is_known, wide
from games.core.background_threads import run_in_background
from games.core.player_networks import networks_of
from games.deals.deal_search import random_seeds, search_deals
from games.races import unseen_deals
from games.races.models import Race
from games.races.room_notifications import notify_room

#: Maximum seeds to try: for a common game the first or second is nearly always certified.
TRIES: Final = 40
#: Maximum seconds for one deal's search.
SECONDS: Final = 120.0
#: Expiry in seconds of the locks against parallel searches; every seed reported renews them.
_CLAIM: Final = 30

#: Limit of concurrent searches per worker process; tending requests the others again.
_turns = threading.BoundedSemaphore(2)


def start_search(race_id: int) -> threading.Thread | None:
    """Start a thread that searches for the race's deal, and return it.

    Return None if one is running for the race, if another one serves a room of the same network, or if the limit is
    reached.
    """
    claims = _claims(race_id)
    taken = [claim for claim in claims if cache.add(claim, 1, timeout=_CLAIM)]
    if len(taken) < len(claims) or not _turns.acquire(blocking=False):
        cache.delete_many(taken)
        return None

    def release() -> None:
        _turns.release()
        cache.delete_many(claims)

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
    claims = _claims(race_id)
    for certificate in search_deals(variant, random_seeds(TRIES - race.deal_tries), SECONDS):
        for claim in claims:
            cache.touch(claim, _CLAIM)
        if not waiting.update(deal_tries=F("deal_tries") + 1):
            return False
        notify_room(race.room_id)
        if certificate is not None:
            return unseen_deals.assign_ordered_deal(race_id, variant, certificate)
    if waiting.update(deal_failed=True):
        notify_room(race.room_id)
    return False


def _claims(race_id: int) -> list[str]:
    """Return the cache keys that the race's search claims: the race and, in a hosted room, the host's network.

    So the rooms of one network take turns, and never all searches.
    """
    host = Race.objects.filter(pk=race_id).values_list("room__host", flat=True).first()
    networks = networks_of([host] if host is not None else [])
    return [f"talon.race_deal.{one}" for one in (race_id, *map(wide, filter(is_known, networks.values())))]
