"""Achievements, computed from the same plays as the statistics; nothing is stored.

If a game is rejected later, its achievements are withdrawn and the next qualifying game takes its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Final

from accounts.profile.play_statistics import VerifiedPlay
from games.core.streaks import streaks
from games.deals.difficulty import goal_of

#: Streak length of the `week` achievement, in days.
WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Achievement:
    """One achievement and the day it was reached, or None if it has not been reached.

    Kinds are `win` (the first of a `variant`), `par` (a win in no more moves than the deal's par), `week` (a streak of
    seven days), `nine` (every variant won on one day) and `relaxed` (a relaxed streak of seven days).

    Until it is reached, `done` of `goal` is the best try so far: cards up, days in a row, variants won on one day, or
    par and the moves of the win that came closest to it. `done` is 0 without a try.
    """

    kind: str
    day: date | None
    variant: str = ""
    done: int = 0
    goal: int = 1


def achievements(
    plays: Sequence[VerifiedPlay], variants: Sequence[str], relaxed_days: Collection[date] = ()
) -> list[Achievement]:
    """Return all achievements, reached or not, from the player's plays, oldest first, the variants of a day, and the
    days with a relaxed win.
    """
    wins = [play for play in plays if play.won]
    return [
        *(_first_win(plays, variant) for variant in variants),
        _par(wins),
        _week("week", {play.day for play in wins}),
        _nine(wins, variants),
        _week("relaxed", relaxed_days),
    ]


def _first_win(plays: Sequence[VerifiedPlay], variant: str) -> Achievement:
    own = [play for play in plays if play.variant == variant]
    day = next((play.day for play in own if play.won), None)
    return Achievement("win", day, variant, max((play.cards_up for play in own), default=0), goal_of(variant))


def _par(wins: Sequence[VerifiedPlay]) -> Achievement:
    beside_par = [(play.tokens - play.par, play) for play in wins if play.par is not None]
    for over, play in beside_par:
        if over <= 0:
            return Achievement("par", play.day, play.variant)
    if not beside_par:
        return Achievement("par", None)
    over, closest = min(beside_par, key=itemgetter(0))
    return Achievement("par", None, closest.variant, closest.tokens - over, closest.tokens)


def _week(kind: str, won: Collection[date]) -> Achievement:
    days = sorted(won)
    # The longest streak never shrinks as days are added, so a binary search finds the first week.
    at = bisect_left(range(len(days)), WEEK, key=lambda n: streaks(days[: n + 1], days[n]).longest)
    if at < len(days):
        return Achievement(kind, days[at])
    return Achievement(kind, None, done=streaks(days, days[-1]).longest if days else 0, goal=WEEK)


def _nine(wins: Sequence[VerifiedPlay], variants: Sequence[str]) -> Achievement:
    won: dict[date, set[str]] = {}
    for play in wins:
        on_day = won.setdefault(play.day, set())
        on_day.add(play.variant)
        if on_day.issuperset(variants):
            return Achievement("nine", play.day)
    return Achievement("nine", None, done=max(map(len, won.values()), default=0), goal=len(variants))
