"""Rating reconciliation: rate finished races, and fold again after changes, so that stored ratings equal the fold.

Everything happens under one lock, which makes concurrent workers harmless, and in one transaction, which hides partial
results. States before a race are restored from the changes of earlier races.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from games.inbox import notices
from games.inbox.models import Notice
from games.races.models import Race
from games.races.results.entrant_facts import store_facts
from leaderboards.models import ProvisionalChange, RatedRace
from leaderboards.ratings import fold_input
from leaderboards.ratings.fold_input import Chunk, Key
from leaderboards.ratings.rules import VERSION, Raced
from leaderboards.ratings.shown_points import shown_ratings
from leaderboards.ratings.stores import PROVISIONAL, STORES, Store

log = logging.getLogger(__name__)

#: Look-back window for lost tasks; for older races only `manage.py rerate` finds missed decisions.
LOOKED_BACK: Final = timedelta(days=40)

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


def rate_finished() -> int:
    """Rate the races that have finished; return the number of races the fold covered.

    A race that finished before the last rated one, but became visible late, is rated in its place, and later races are
    rated again. After an upgrade that changes the rules, all races are rated again.
    """
    with locked():
        first = fold_input.first_unrated()
        return 0 if first is None else fold_from(first)


def refold(race_id: int) -> int:
    """Rate again from a race on, after a decision about it; notify the players whose displayed rating moves.

    Returns the number of races the fold covered. A race not yet rated is rated as well.
    """
    with locked():
        key = fold_input.key_of(race_id)
        if key is None:
            return 0
        return _fold_and_notify(key)


def refold_changed(now: datetime | None = None) -> int:
    """Make up for lost `refold` tasks, for the races of the last weeks."""
    since = (now or timezone.now()) - LOOKED_BACK
    if _first_changed(since) is None:
        return 0
    with locked():
        key = _first_changed(since)
        return 0 if key is None else _fold_and_notify(key)


def _first_changed(since: datetime) -> Key | None:
    found = fold_input.first_changed(since)
    keys = [found] if found else []
    return min([*keys, *(key for key in fold_input.decided_late(since) if not _has_its_racers(key))], default=None)


def _has_its_racers(key: Key) -> bool:
    """Return whether a race was rated among exactly the racers who should be rated in it now."""
    fold = PROVISIONAL.fold_before(key, ())
    raced = next(fold_input.races_from(key)).races[0]
    rated = ProvisionalChange.objects.filter(entrant__race=key.race).values_list("entrant_id", flat=True)
    return {change.entrant for change in fold.add(raced)} == set(rated)


def _fold_and_notify(key: Key) -> int:
    before = {} if fold_input.is_outdated() else shown_ratings()  # no notices after an upgrade
    folded = fold_from(min(key, fold_input.first_unrated() or key))
    after = shown_ratings()
    moved = [player for player, shown in before.items() if after.get(player, shown).value != shown.value]
    address = reverse("games:race_result", args=Race.objects.values_list("room__code", "number").get(pk=key.race))
    for player in sorted(moved):
        data = {"address": address, "before": before[player].value, "after": after[player].value}
        notices.put(player, Notice.Kind.RATING_MOVED, data)
    log.info("races rated again", extra={"race": key.race, "races": folded, "moved": len(moved)})
    return folded


def fold_from(key: Key, progress: Progress = lambda _races: None) -> int:
    """Rate that race and later ones again, replacing stored changes; return their number. Call it under the lock."""
    refolds, folded = [_Refold(store, key) for store in STORES], 0
    for chunk in fold_input.races_from(key):
        for refold in refolds:
            refold.add(chunk.races)
        _mark_rated(chunk)
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


def _mark_rated(chunk: Chunk) -> None:
    fresh = (RatedRace(race_id=race, guests=guests, version=VERSION) for race, guests in chunk.guests.items())
    RatedRace.objects.bulk_create(fresh)
    races = [raced.race for raced in chunk.races]
    RatedRace.objects.filter(race__in=races, version__lt=VERSION).update(version=VERSION)
