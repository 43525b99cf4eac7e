"""Rating reconciliation: rate finished races, and fold again after changes, so that stored ratings equal the fold.

Everything happens under one lock, which makes concurrent workers harmless, and in one transaction, which hides partial
results. States before a race are restored from the changes of earlier races.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from django.db import connection, transaction
from django.db.models import Q
from django.urls import reverse

from games.inbox import notices
from games.inbox.models import Notice
from games.races.models import Race
from games.races.results.entrant_facts import store_facts
from games.races.results.ratings_registry import ShownRating
from leaderboards.models import RatedRace
from leaderboards.ratings import fold_input
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.rules import VERSION, Raced
from leaderboards.ratings.shown_points import shown_ratings
from leaderboards.ratings.stores import STORES, Store

log = logging.getLogger(__name__)

#: PostgreSQL advisory lock that serialises workers; SQLite has a single writer anyway.
_LOCK: Final = 0x7A10_4A7E

Progress = Callable[[int], object]
"""Callback with the number of further races rated."""


@contextmanager
def locked() -> Iterator[None]:
    """Open a transaction with exclusive access to the ratings."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


def rate_finished(decided: int | None = None) -> int:
    """Rate the races that have finished; return the number of races the fold covered.

    A race that finished before the last rated one, but became visible late, is rated in its place, and later races are
    rated again. So are races whose places have changed. Players are notified if that, or a decision about the race
    `decided`, moves their displayed rating. After an upgrade of the rules, all races are rated again, without notices.
    """
    with locked():
        first = fold_input.first_unrated()
        if first is None:
            return 0
        changed = fold_input.first_decided(decided)
        before = shown_ratings() if changed and not fold_input.is_outdated() else {}
        folded = fold_from(first)
        if changed:
            _notify(changed, before)
    return folded


def mark_stale(race_id: int) -> None:
    """Have a race rated again, and the later ones; call it in the transaction that changes its places.

    A race that has not been rated yet needs no mark. Its row must be locked, so that it is not being rated.
    """
    RatedRace.objects.filter(race=race_id).update(is_stale=True)


def refold(race_id: int) -> int:
    """Rate again from a race on, after a decision about it; return the number of races the fold covered."""
    mark_stale(race_id)
    return rate_finished(race_id)


def _notify(key: Key, before: Mapping[int, ShownRating]) -> None:
    """Notify the players whose displayed rating has moved since then, because the places of a race have changed."""
    after = shown_ratings()
    moved = [player for player, shown in before.items() if after.get(player, shown).value != shown.value]
    address = reverse("games:race_result", args=Race.objects.values_list("room__code", "number").get(pk=key.race))
    for player in sorted(moved):
        data = {"address": address, "before": before[player].value, "after": after[player].value}
        notices.put(player, Notice.Kind.RATING_MOVED, data)
    log.info("races rated again", extra={"race": key.race, "moved": len(moved)})


def fold_from(key: Key, progress: Progress = lambda _races: None) -> int:
    """Rate that race and later ones again, replacing stored changes; return their number. Call it under the lock."""
    refolds, folded = [_Refold(store, key) for store in STORES], 0
    for chunk in fold_input.races_from(key, _claim):
        for refold in refolds:
            refold.add(chunk.races)
        fresh = (RatedRace(race_id=race, guests=guests, version=VERSION) for race, guests in chunk.guests.items())
        RatedRace.objects.bulk_create(fresh)
        store_facts(chunk.facts)
        folded += len(chunk.races)
        progress(len(chunk.races))
    for refold in refolds:
        refold.finish()
    return folded


class _Refold:
    """One of the two folds, from a race on: it deletes the stored changes first."""

    def __init__(self, store: Store, key: Key) -> None:
        behind = store.changes.objects.filter(fold_input.at_or_after(key))
        self.touched = set(behind.values_list("player_id", flat=True).distinct())
        self.known = set(self.touched)
        self.store, self.fold = store, store.fold_before(key, self.touched)
        behind.delete()

    def add(self, races: Sequence[Raced]) -> None:
        """Rate the next races.

        Players not yet known had no changes after the start of the fold, so their stored ratings are valid there.
        """
        players = {racer.player for raced in races for racer in raced.racers} - self.known
        self.known |= players
        self.fold.standings.update(self.store.standings(players))
        changes = [change for raced in races for change in self.fold.add(raced)]
        self.store.insert(changes)
        self.touched.update(change.player for change in changes)

    def finish(self) -> None:
        """Store the ratings of all players with a changed one."""
        self.store.write(self.fold.standings, self.touched)


def _claim(races: list[int]) -> None:
    """Mark races as rated. A decision that is not visible now marks its race again, once it gets the lock."""
    rated = RatedRace.objects.filter(race__in=races)
    rated.filter(Q(version__lt=VERSION) | Q(is_stale=True)).update(version=VERSION, is_stale=False)
    fresh = Race.objects.filter(pk__in=races).exclude(pk__in=rated.values("race")).order_by("pk")
    list(fresh.select_for_update(no_key=True).values_list("pk"))
