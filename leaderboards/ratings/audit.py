"""Audit: read-only check that the stored ratings equal the fold over the races."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from leaderboards.models import Rating, RatingChange
from leaderboards.ratings import fold_input
from leaderboards.ratings.rules import Change, Fold, RatingState


def faults(progress: Callable[[int], object] = lambda _races: None) -> Iterator[str]:
    """Yield a description of each stored value that differs from a fold from the first race on."""
    fold, seen = Fold(), 0
    first = fold_input.first()
    for chunk in fold_input.races_from(first) if first else ():
        yield from (f"race {race}: not rated yet" for race in chunk.guests)
        stored = _stored([raced.race for raced in chunk.races])
        for raced in chunk.races:
            expected = {change.entrant: change for change in fold.add(raced)}
            actual = {change.entrant: change for change in stored.get(raced.race, ())}
            seen += len(actual)
            yield from _differences(expected, actual)
        progress(len(chunk.races))
    if (others := RatingChange.objects.count() - seen) > 0:
        yield f"{others} changes of races that are not rated"
    yield from _wrong_standings(fold)


def _stored(races: list[int]) -> dict[int, list[Change]]:
    found: dict[int, list[Change]] = {}
    for row in RatingChange.objects.filter(entrant__race__in=races).values_list(*Change._fields):
        change = Change(*row)
        found.setdefault(change.race, []).append(change)
    return found


def _differences(expected: dict[int, Change], actual: dict[int, Change]) -> Iterator[str]:
    for entrant in sorted(expected.keys() | actual.keys()):
        if expected.get(entrant) != actual.get(entrant):
            race = (expected.get(entrant) or actual[entrant]).race
            yield f"race {race}, entrant {entrant}: {_describe(actual.get(entrant), expected.get(entrant))}"


def _describe(actual: Change | None, expected: Change | None) -> str:
    if actual is None:
        return "the change is missing"
    if expected is None:
        return "has a change without being rated"
    fields = [name for name in Change._fields if getattr(actual, name) != getattr(expected, name)]
    return ", ".join(f"{name} is {getattr(actual, name)}, should be {getattr(expected, name)}" for name in fields)


def _wrong_standings(fold: Fold) -> Iterator[str]:
    rows: dict[int, tuple[Any, ...]] = {
        player: tuple(row) for player, *row in Rating.objects.values_list("player_id", *RatingState._fields)
    }
    for player in sorted(rows.keys() | fold.standings.keys()):
        actual, expected = rows.get(player), fold.standings.get(player)
        if actual != expected:
            yield f"player {player}: rating is {_brief(actual)}, should be {_brief(expected)}"


def _brief(standing: tuple[Any, ...] | None) -> str:
    if standing is None:
        return "missing"
    mu, sigma, races, *_ = standing
    return f"{mu} ± {sigma} after {races} races"
