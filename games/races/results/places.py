"""Places and points of a race, computed from its scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from games import rules


def placed(scores: Mapping[int, rules.Score], pointless: Collection[int] = ()) -> dict[int, tuple[int, int]]:
    """Return place and heat points by entrant.

    Places go by cards up, then time, then tokens; equal scores share a place. Winners have all cards up, so they come
    first. Unreadable records come after all others, and disqualified entrants share the last place. Race files are
    verified with the same code. An entrant gets a point for racing and one for each entrant behind, except for the
    `pointless` ones; a disqualified entrant gets none.
    """
    places = [place or 0 for place in rules.places(list(scores.values()))]
    giving = [place for entrant, place in zip(scores, places, strict=True) if entrant not in pointless]
    return {
        entrant: (place, 1 + sum(other > place for other in giving) if score.ranked else 0)
        for (entrant, score), place in zip(scores.items(), places, strict=True)
    }
