"""Points of a heat's race, computed from its scores and places. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from games import rules


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
