"""Interface from races to ratings, which `leaderboards` implements."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from games.core.registry import Provider


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A player's displayed rating, and whether it is still provisional."""

    value: int
    provisional: bool


class Limit(Enum):
    """Reason why an opponent does not count for a rating."""

    LINKED = "linked"
    MET = "met"
    NOT_REGULAR = "not_regular"


class Duel(NamedTuple):
    """Rating points from one opposing entrant, and the reason if the opponent does not count."""

    rival: int
    points: float
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class EntrantRatingChange:
    """An entrant's rating before and after a race, and the points from each opponent, in whole points."""

    before: ShownRating
    after: ShownRating
    duels: list[Duel]

    @property
    def points(self) -> int:
        """Change of the shown rating."""
        return self.after.value - self.before.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The functions that races need from the ratings application."""

    shown: Callable[[Collection[int]], dict[int, ShownRating]]
    """Ratings by player id; players without a rating are left out."""
    provisional: Callable[[Collection[int]], dict[int, float]]
    """Provisional ratings by player id, from all rated races; players without one are left out."""
    changes: Callable[[int], dict[int, EntrantRatingChange]]
    """Rating changes by entrant id for a race id; empty for a race that is unrated or not rated yet."""
    mark_stale: Callable[[int], None]
    """Have a race of this id, whose places have changed, rated again."""


ratings: Final = Provider[Ratings]()
