"""Places of a race, computed from its scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Mapping

from games import rules


def placed(scores: Mapping[int, rules.Score]) -> dict[int, int]:
    """Return the place of each entrant.

    Places go by cards up, then time, then tokens; equal scores share a place. Winners have all cards up, so they come
    first. Unreadable records come after all others, and disqualified entrants share the last place. Race files are
    verified with the same code.
    """
    places = rules.places(list(scores.values()))
    return {entrant: place or 0 for entrant, place in zip(scores, places, strict=True)}
