"""Streaks: how many days in a row, with one missed day in each calendar month forgiven.

The days of a streak are the days of the deals that were won, in UTC, whenever they were finished. A streak is a stretch
of days with at most one day missed in any calendar month; its length is the number of days won in it, so a forgiven day
does not break the streak but does not count either. The stretch is always chosen to be as long as it can be: a second
miss in a month costs what lies before the first one and no more. Today is not missed until it is over.

Pure functions of dates; the test beside them compares them with the definition tried out stretch by stretch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

#: Days missed in one calendar month that break no streak.
FORGIVEN_A_MONTH: Final = 1

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streaks:
    """The streak that ends today or yesterday and the longest one ever, in days won."""

    current: int = 0
    longest: int = 0


def streaks(won: Collection[date], today: date) -> Streaks:
    """Give the streaks of somebody who won a deal of each of the days ``won``.

    Days after ``today`` are ignored: they cannot have been won yet.
    """
    days = {day for day in won if day <= today}
    if not days:
        return Streaks()
    last = today if today in days else today - _DAY
    longest = current = length = 0
    missed: Counter[tuple[int, int]] = Counter()
    first = day = min(days)
    while day <= last:
        if day in days:
            length += 1
        else:
            missed[_month(day)] += 1
            while missed[_month(day)] > FORGIVEN_A_MONTH:  # give up the oldest days until the month is forgiven again
                length -= first in days
                missed[_month(first)] -= first not in days
                first += _DAY
        longest = max(longest, length)
        current = length
        day += _DAY
    return Streaks(current=current, longest=longest)


def _month(day: date) -> tuple[int, int]:
    return day.year, day.month
