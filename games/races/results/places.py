"""Places and points of a race, computed from its scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from games import rules


def placed(scores: Mapping[int, rules.Score], pointless: Collection[int] = ()) -> dict[int, tuple[int, int]]:
    """Return place and points by entrant: more cards up first, then the shorter time, then fewer tokens.

    Winners have all cards up, so they come first. Entrants with unreadable records come after all who have figures, and
    disqualified ones share the last place. Equal scores share a place. A heat gives a point for racing, and one for
    each entrant behind who is not `pointless`, except to disqualified ones. Race files are verified with the same code.
    """
    places = [place or 0 for place in rules.places(list(scores.values()))]
    giving = [place for entrant, place in zip(scores, places, strict=True) if entrant not in pointless]
    return {
        entrant: (place, 1 + sum(other > place for other in giving) if score.ranked else 0)
        for (entrant, score), place in zip(scores.items(), places, strict=True)
    }
