"""What races ask of whoever keeps the ratings, who registers it when the applications are ready."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A player's rating as it is shown, and whether it is still uncertain."""

    value: int
    provisional: bool


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a race did to an entrant's rating, and what each duel with another entrant was worth: (entrant, points)."""

    before: ShownRating
    after: ShownRating
    duels: list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Ratings:
    """What races ask."""

    shown: Callable[[Collection[int]], dict[int, ShownRating]]
    """The ratings of those players, by id, who have one."""
    changes: Callable[[int], dict[int, RatingChange]]
    """What a race, by id, did to ratings, by entrant; empty for one that is not rated, or not yet."""


_registered: list[Ratings] = [Ratings(shown=lambda _players: {}, changes=lambda _race: {})]


def register(known: Ratings) -> None:
    """Ask these from now on."""
    _registered[:] = [known]


def ratings() -> Ratings:
    """Whoever keeps the ratings; somebody who knows none when nobody does."""
    return _registered[0]
