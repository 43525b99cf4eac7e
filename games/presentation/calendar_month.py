"""Month of a calendar page, with its neighbours."""

from __future__ import annotations

from calendar import Calendar
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Final

_WEEKS: Final = Calendar(firstweekday=0)


@dataclass(frozen=True)
class CalendarMonth:
    """A month, between the earliest and the latest day with anything to show; None if there is no such day."""

    first: date
    earliest: date | None
    latest: date | None

    @cached_property
    def weeks(self) -> list[list[date]]:
        """Whole weeks from Monday; the first and the last may have days of the neighbouring months."""
        return _WEEKS.monthdatescalendar(self.first.year, self.first.month)

    @property
    def previous(self) -> date | None:
        """The first day of the month before, if there is anything to show."""
        return (self.first - timedelta(days=1)).replace(day=1) if self.earliest and self.earliest < self.first else None

    @property
    def next(self) -> date | None:
        """The first day of the month after, if there is anything to show."""
        return self.end if self.latest and self.latest >= self.end else None

    @property
    def end(self) -> date:
        """The first day after the month."""
        return (self.first + timedelta(days=31)).replace(day=1)
