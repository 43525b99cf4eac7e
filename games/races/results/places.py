"""Places of a race and points of a heat, computed from the scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from games import rules


def placed(scores: Mapping[int, rules.Score]) -> dict[int, int]:
    """Return the place of each entrant.

    Places go by cards up, then time, then tokens; equal scores share a place. Winners have all cards up, so they come
    first. Unreadable records come after all others, and disqualified entrants share the last place. Race files are
    verified with the same code.
    """
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
