"""Interface to the ratings application, which registers its implementation at start-up."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A player's displayed rating, and whether it is still provisional."""

    value: int
    provisional: bool


@dataclass(frozen=True, slots=True)
class RatingChange:
    """An entrant's rating before and after a race, and the points from each duel as (opposing entrant id, points)."""

    before: ShownRating
    after: ShownRating
    duels: list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Ratings:
    """The functions that races need from the ratings application."""

    shown: Callable[[Collection[int]], dict[int, ShownRating]]
    """Ratings by player id; players without a rating are left out."""
    changes: Callable[[int], dict[int, RatingChange]]
    """Rating changes by entrant id for a race id; empty for a race that is unrated or not rated yet."""


_registered: list[Ratings] = [Ratings(shown=lambda _players: {}, changes=lambda _race: {})]


def register(known: Ratings) -> None:
    """Register the implementation."""
    _registered[:] = [known]


def ratings() -> Ratings:
    """Return the registered implementation, or one without any ratings."""
    return _registered[0]
