"""Places and points of a race, computed from its scores. Pure: no clock, no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games import rules


@dataclass(frozen=True, slots=True)
class EntrantScore:
    """An entrant's score; `figures` (cards up, milliseconds, tokens) is None without a readable record."""

    entrant: int
    figures: tuple[int, int, int] | None
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """An entrant's place, shared by equal scores, and the points it is worth in a heat."""

    entrant: int
    place: int
    points: int


def placed(scores: Sequence[EntrantScore]) -> list[Placed]:
    """Return the places in order: more cards up first, then the shorter time, then fewer tokens.

    Winners have all cards up, so they come first. Entrants with unreadable records come after all who have figures, and
    disqualified ones share the last place. Race files are verified with the same code.
    """
    place_numbers = [place or 0 for place in rules.places([_for_rules(score) for score in scores])]
    ordered = sorted(zip(place_numbers, scores, strict=True), key=lambda pair: (pair[0], pair[1].entrant))
    return [
        Placed(score.entrant, place, 0 if score.disqualified else points(sum(other > place for other in place_numbers)))
        for place, score in ordered
    ]


def points(behind: int) -> int:
    """Return the points of a finisher ahead of `behind` others: one for each of them, and one for racing."""
    return behind + 1


def _for_rules(score: EntrantScore) -> rules.Score:
    if score.disqualified or score.figures is None:
        return rules.Score("disqualified" if score.disqualified else "retired")
    return rules.Score("retired", *score.figures)
