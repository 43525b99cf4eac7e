"""Streaks: days won in a row, with one missed day forgiven in each week, from Monday to Sunday.

A deal counts for its own day, in UTC, whenever it was finished. A streak is a run of days with at most one day missed
in any week. Its length is the number of days won, so a forgiven day does not break the streak but adds
nothing to it. The run is always the longest possible one: a second miss in a week costs only the days before the first
miss. Today does not count as missed until it is over.

These are pure functions of dates. Their tests compare them with a brute-force version of the definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

#: Missed days per week that do not break a streak.
FORGIVEN_A_WEEK: Final = 1

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streaks:
    """Current streak, ending today or yesterday, and longest streak ever, in days won."""

    current: int = 0
    longest: int = 0


def streaks(won: Collection[date], today: date) -> Streaks:
    """Compute the streaks of a player who won a deal on each of the days ``won``.

    Days after ``today`` are ignored.
    """
    days = {day for day in won if day <= today}
    if not days:
        return Streaks()
    last = today if today in days else today - _DAY
    longest = current = length = 0
    missed: Counter[int] = Counter()
    first = day = min(days)
    while day <= last:
        if day in days:
            length += 1
        else:
            missed[_week(day)] += 1
            while missed[_week(day)] > FORGIVEN_A_WEEK:  # drop the oldest days until the week is forgiven again
                length -= first in days
                missed[_week(first)] -= first not in days
                first += _DAY
        longest = max(longest, length)
        current = length
        day += _DAY
    return Streaks(current=current, longest=longest)


def _week(day: date) -> int:
    return (day.toordinal() - 1) // 7  # ordinal 1 is a Monday
