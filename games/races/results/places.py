"""Places of a race and points of a heat, computed from the scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from games import rules


class Figures(NamedTuple):
    """Figures of a racer whose game may be in progress. The progress time is None if it is not known."""

    cards_up: int = 0
    tokens: int = 0
    progress_ms: int | None = None


def placed(scores: Mapping[int, rules.Score]) -> dict[int, int]:
    """Return the place of each entrant, in the order of `games.rules.races.ranking`; equal scores share a place."""
    places = rules.places(list(scores.values()))
    return {entrant: place or 0 for entrant, place in zip(scores, places, strict=True)}


def heat_points(
    scores: Mapping[int, rules.Score], places: Mapping[int, int], newcomers: Collection[int]
) -> dict[int, int]:
    """Return the heat points of each entrant: one for racing, and one for each player placed behind.

    Players in `newcomers`, who have no verified daily game, give no points. Disqualified entrants get none.
    """
    counted = [place for entrant, place in places.items() if entrant not in newcomers]
    return {
        entrant: 1 + sum(place > places[entrant] for place in counted) if score.ranked else 0
        for entrant, score in scores.items()
    }
