"""Day of a calendar page, with marks for a player's games of that day."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day of a calendar, with the player's mark for each of its deals in catalogue order; `to` names its page.

    A mark is `none` (no such deal), `sealed` (the day has not begun), `open` (not played), `playing`, `won`, `lost`
    (played, not won, or still under review) or `void` (rejected).
    """

    day: date
    marks: tuple[str, ...]
    is_today: bool
    is_chosen: bool
    to: str = "games:archive_day"

    @property
    def has_deals(self) -> bool:
        """True if the day can be selected."""
        return any(mark != "none" for mark in self.marks)

    @property
    def is_ahead(self) -> bool:
        """True if the day has not begun: its deals are fixed, and nothing else is known about them."""
        return "sealed" in self.marks

    @property
    def cell(self) -> SafeString:
        """The rendered calendar cell, in the language of the request."""
        return _cell(self, get_language())

    @property
    def tally(self) -> dict[str, int]:
        """Number of deals by mark."""
        return dict(Counter(self.marks))


@lru_cache(maxsize=2048)
def _cell(day: CalendarDay, _language: str | None) -> SafeString:
    """Render a calendar cell. Cached, because players' calendars have most cells in common."""
    return render_to_string("games/_calendar_day.html", {"day": day})
