"""Today's game: short on weekdays, and all nine in turn."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from games.deals.todays_game import todays_game
from games.manifests import SHORT_VARIANTS
from games.rules import CATALOGUE

#: Ten weeks from a Monday.
DAYS = [date(2026, 11, 30) + timedelta(days=n) for n in range(70)]


def test_weekdays_alternate_between_the_short_games() -> None:
    games = [todays_game(day) for day in DAYS if day.weekday() < 5]
    assert set(games) == set(SHORT_VARIANTS)
    assert all(one != following for one, following in pairwise(games))


def test_seven_weekend_days_have_the_seven_long_games() -> None:
    games = [todays_game(day) for day in DAYS if day.weekday() >= 5]
    for first in range(len(games) - 6):
        assert set(games[first : first + 7]) == set(CATALOGUE) - set(SHORT_VARIANTS)
