"""Places and points of a race, from its scores. Pure: no clock and no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games import rules


@dataclass(frozen=True, slots=True)
class Score:
    """How somebody has done; `figures` (cards up, milliseconds, tokens) are None without a readable record."""

    entrant: int
    figures: tuple[int, int, int] | None
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """An entrant's place, which equals share, and the points it is worth in a heat."""

    entrant: int
    place: int
    points: int


def placed(scores: Sequence[Score]) -> list[Placed]:
    """The scores in order of their places: more cards up first, then the shorter time, then fewer tokens.

    A winner has all cards up, so winners come first. Behind everybody with a score come those whose record nobody can
    read, and those disqualified share the last place. A race's file is checked by the same code.
    """
    found = [place or 0 for place in rules.places([_for_rules(score) for score in scores])]
    ordered = sorted(zip(found, scores, strict=True), key=lambda one: (one[0], one[1].entrant))
    return [
        Placed(score.entrant, place, 0 if score.disqualified else points(sum(other > place for other in found)))
        for place, score in ordered
    ]


def points(behind: int) -> int:
    """What a finisher gets who is ahead of so many others: one for each, and one for having raced."""
    return behind + 1


def _for_rules(score: Score) -> rules.Score:
    if score.disqualified or score.figures is None:
        return rules.Score("disqualified" if score.disqualified else "retired")
    return rules.Score("retired", *score.figures)
