"""Rating reconciliation: rate finished races, and fold again after changes, so that stored ratings equal the fold.

Everything happens under one lock, which makes concurrent workers harmless, and in one transaction, which hides partial
results. States before a race are restored from the changes of earlier races.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone

from games.inbox import notices
from games.inbox.models import Notice
from games.races.models import Race
from games.races.results.entrant_facts import store_facts
from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings import fold_input
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.rules import Change, Fold, Raced, RatingState

log = logging.getLogger(__name__)

#: Look-back window for lost tasks; for older races only `manage.py rerate` finds missed decisions.
LOOKED_BACK: Final = timedelta(days=40)

#: PostgreSQL advisory lock that serialises workers; SQLite has a single writer anyway.
_LOCK: Final = 0x7A10_4A7E
_BATCH: Final = 500
_STANDING: Final = RatingState._fields
#: Columns of the fields of a `Change`.
_COLUMNS: Final = {field.name: field.attname for field in RatingChange._meta.concrete_fields}

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
    rated again.
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
    fold = fold_before(key, ())
    raced = next(fold_input.races_from(key)).races[0]
    rated = RatingChange.objects.filter(entrant__race=key.race).values_list("entrant_id", flat=True)
    return {change.entrant for change in fold.add(raced)} == set(rated)


def _fold_and_notify(key: Key) -> int:
    before = _shown()
    folded = fold_from(min(key, fold_input.first_unrated() or key))
    after = _shown()
    moved = {player: (value, after[player]) for player, value in before.items() if after.get(player, value) != value}
    _notify_moved(key.race, moved)
    log.info("races rated again", extra={"race": key.race, "races": folded, "moved": len(moved)})
    return folded


def _notify_moved(race_id: int, moved: Mapping[int, tuple[int, int]]) -> None:
    """Tell each player the displayed rating before and after the decision, with a link to the race's result."""
    room, number = Race.objects.values_list("room__code", "number").get(pk=race_id)
    address = reverse("games:race_result", args=[room, number])
    for player, (before, after) in sorted(moved.items()):
        notices.put(player, Notice.Kind.RATING_MOVED, {"address": address, "before": before, "after": after})


def _shown() -> dict[int, int]:
    return {player: round(mu) for player, mu in Rating.objects.values_list("player_id", "mu")}


def fold_from(key: Key, progress: Progress = lambda _races: None) -> int:
    """Rate that race and later ones again, replacing stored changes; return their number. Call it under the lock."""
    behind = RatingChange.objects.filter(fold_input.at_or_after(key))
    touched = set(behind.values_list("player_id", flat=True).distinct())
    fold = fold_before(key, touched)
    behind.delete()
    known, folded = set(touched), 0
    for chunk in fold_input.races_from(key):
        _load(fold, chunk.races, known)
        changes = [change for raced in chunk.races for change in fold.add(raced)]
        _insert_changes(changes)
        RatedRace.objects.bulk_create(RatedRace(race_id=race, guests=guests) for race, guests in chunk.guests.items())
        store_facts(chunk.facts)
        touched.update(change.player for change in changes)
        folded += len(chunk.races)
        progress(len(chunk.races))
    _write_standings(fold.standings, touched)
    return folded


def _insert_changes(changes: Sequence[Change]) -> None:
    rows = [RatingChange(**{_COLUMNS[name]: value for name, value in change._asdict().items()}) for change in changes]
    RatingChange.objects.bulk_create(rows, batch_size=_BATCH)


def _write_standings(standings: Mapping[int, RatingState], players: Collection[int]) -> None:
    """Set the players' ratings to their standings; delete the rating of a player without races."""
    rows = [
        Rating(player_id=player, **standings[player]._asdict()) for player in sorted(players) if standings[player].races
    ]
    Rating.objects.bulk_create(
        rows, batch_size=_BATCH, update_conflicts=True, unique_fields=["player"], update_fields=_STANDING
    )
    unrated = [player for player in players if not standings[player].races]
    Rating.objects.filter(player__in=unrated).delete()


def fold_before(key: Key, players: Collection[int]) -> Fold:
    """Return the state of the fold before a race, with the standings of these players."""
    fold = Fold(standings_before(key, players))
    fold.resume(key.finished_at.astimezone(UTC).date(), meetings_before(key))
    return fold


def standings_before(key: Key, players: Collection[int]) -> dict[int, RatingState]:
    """Return the players' standings before a race; a player without earlier races has a new standing."""
    earlier = RatingChange.objects.filter(fold_input.before(key), player=OuterRef("pk"))
    last = earlier.order_by("-finished_at", "-race_id").values("pk")[:1]
    found = dict.fromkeys(players, RatingState())
    for batch in batches(players):
        rows = get_user_model().objects.filter(pk__in=batch).annotate(change=Subquery(last))
        ids = list(rows.exclude(change=None).values_list("change", flat=True))
        columns = ("player_id", "mu_after", "sigma_after", "races", "finished_at", "limited")
        for player, *state in RatingChange.objects.filter(pk__in=ids).values_list(*columns):
            found[player] = RatingState(*state)
    return found


def meetings_before(key: Key) -> list[list[int]]:
    """Return the players of each race on the same day that was rated before that one."""
    day = key.finished_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    races: defaultdict[int, list[int]] = defaultdict(list)
    earlier = RatingChange.objects.filter(fold_input.before(key), finished_at__gte=day)
    for race, player in earlier.values_list("race_id", "player_id"):
        races[race].append(player)
    return list(races.values())


def _load(fold: Fold, races: Collection[Raced], known: set[int]) -> None:
    """Load the standings of these races' players into the fold.

    Players not in `known` have no changes after the start of the fold, so their stored ratings are valid there.
    """
    players = {racer.player for raced in races for racer in raced.racers} - known
    known |= players
    for batch in batches(players):
        rows = Rating.objects.filter(player__in=batch)
        for player, *state in rows.values_list("player_id", *_STANDING):
            fold.standings[player] = RatingState(*state)


def batches(players: Collection[int]) -> Iterator[list[int]]:
    """Split the players into batches that fit a statement."""
    ordered = sorted(players)
    for first in range(0, len(ordered), _BATCH):
        yield ordered[first : first + _BATCH]
