"""Today's game: the one of the dailies that the home page puts first.

Weekdays alternate between the two short games, whose winning lines take some 50 and 80 moves. Weekends rotate over the
other seven, which take 200 moves or more.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from games.manifests import SHORT_VARIANTS
from games.rules import CATALOGUE

LONG: Final = tuple(variant for variant in CATALOGUE if variant not in SHORT_VARIANTS)
_WEEKDAYS: Final = 5


def todays_game(day: date) -> str:
    """Return the variant of a day's game."""
    week, weekday = divmod(day.toordinal() - 1, 7)  # ordinal 1 is a Monday
    if weekday < _WEEKDAYS:
        return SHORT_VARIANTS[(week * _WEEKDAYS + weekday) % len(SHORT_VARIANTS)]
    return LONG[(week * (7 - _WEEKDAYS) + weekday - _WEEKDAYS) % len(LONG)]
