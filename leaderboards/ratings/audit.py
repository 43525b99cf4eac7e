"""Audit: read-only check that the stored ratings equal the fold over the races."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from leaderboards.ratings import fold_input
from leaderboards.ratings.rules import Change, Fold, RatingState
from leaderboards.ratings.stores import STORES


def faults(progress: Callable[[int], object] = lambda _races: None) -> Iterator[str]:
    """Yield each stored value that differs from the folds from the first race on, and the one that should be stored."""
    folds = [Fold(store.provisional) for store in STORES]
    first = fold_input.first()
    for chunk in fold_input.races_from(first) if first else ():
        yield from (f"race {race}: not rated yet" for race in chunk.guests)
        for store, fold in zip(STORES, folds, strict=True):
            expected = {change for raced in chunk.races for change in fold.add(raced)}
            rows = store.changes.objects.filter(entrant__race__in=[raced.race for raced in chunk.races])
            actual = {Change(*row) for row in rows.values_list(*Change._fields)}
            yield from _differences(store.changes.__name__, actual, expected)
        progress(len(chunk.races))
    for store, fold in zip(STORES, folds, strict=True):
        if others := store.changes.objects.exclude(entrant__race__in=fold_input.finished()).count():
            yield f"{store.changes.__name__}: {others} of races that are not rated"
        ratings = store.ratings.objects.values_list("player_id", *RatingState._fields)
        actual_states = {(player, RatingState(*state)) for player, *state in ratings}
        yield from _differences(store.ratings.__name__, actual_states, set(fold.standings.items()))


def _differences(table: str, actual: set[Any], expected: set[Any]) -> Iterator[str]:
    rows = [(row, "stored") for row in actual - expected] + [(row, "should be") for row in expected - actual]
    yield from (f"{table}: {which} {row}" for row, which in sorted(rows))
