"""Achievements, computed from the same plays as the statistics; nothing is stored.

If a game is rejected later, its achievements are withdrawn and the next qualifying game takes its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from accounts.profile.player_statistics import VerifiedPlay
from accounts.profile.streaks import streaks

#: Streak length of the `week` achievement, in days.
WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Achievement:
    """One achievement and the day it was reached, or None if it has not been reached.

    Kinds are `win` (the first of a `variant`), `par` (a win in no more moves than the deal's par), `week` (a streak of
    seven days) and `nine` (every variant won on one day).
    """

    kind: str
    day: date | None
    variant: str = ""


def achievements(plays: Sequence[VerifiedPlay], variants: Sequence[str]) -> list[Achievement]:
    """Return all achievements, reached or not, from the player's plays, oldest first, and the variants of a day."""
    wins = [play for play in plays if play.won]
    return [*_first_wins(wins, variants), _par(wins), _week(wins), _nine(wins, variants)]


def _first_wins(wins: Sequence[VerifiedPlay], variants: Sequence[str]) -> Iterator[Achievement]:
    first: dict[str, date] = {}
    for play in wins:
        first.setdefault(play.variant, play.day)
    return (Achievement("win", first.get(variant), variant) for variant in variants)


def _par(wins: Sequence[VerifiedPlay]) -> Achievement:
    for play in wins:
        if play.par is not None and play.tokens <= play.par:
            return Achievement("par", play.day, play.variant)
    return Achievement("par", None)


def _week(wins: Sequence[VerifiedPlay]) -> Achievement:
    days = sorted({play.day for play in wins})
    # The longest streak never shrinks as days are added, so a binary search finds the first week.
    at = bisect_left(range(len(days)), WEEK, key=lambda n: streaks(days[: n + 1], days[n]).longest)
    return Achievement("week", days[at] if at < len(days) else None)


def _nine(wins: Sequence[VerifiedPlay], variants: Sequence[str]) -> Achievement:
    won: dict[date, set[str]] = {}
    for play in wins:
        on_day = won.setdefault(play.day, set())
        on_day.add(play.variant)
        if on_day.issuperset(variants):
            return Achievement("nine", play.day)
    return Achievement("nine", None)
