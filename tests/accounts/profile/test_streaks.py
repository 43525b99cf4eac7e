"""Streaks, with one missed day per calendar month forgiven, and as computed for pages."""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.profile.streaks import Streaks, streaks
from accounts.profile.win_days import current_streak, days_won
from games.models import Attempt, Deal
from leaderboards.boards.rank_keys import BoardScore
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
TODAY = date(2026, 3, 10)

# Days of three months, around a new year.
START, DAYS = date(2025, 12, 24), 42
near = st.integers(0, DAYS).map(lambda n: START + n * DAY)


def run(start: date, pattern: str) -> set[date]:
    """Return the days won: ``#`` in ``pattern``, one character per day from ``start``."""
    return {start + n * DAY for n, mark in enumerate(pattern) if mark == "#"}


def is_stretch(first: date, last: date, won: set[date]) -> bool:
    missed = Counter((d.year, d.month) for n in range((last - first).days + 1) if (d := first + n * DAY) not in won)
    return all(count <= 1 for count in missed.values())


def by_definition(won: set[date], today: date) -> Streaks:
    won = {d for d in won if d <= today}
    if not won:
        return Streaks()
    end = today if today in won else today - DAY
    days = [min(won) + n * DAY for n in range((end - min(won)).days + 1)]
    lengths = {
        last: max(
            (sum(first <= d <= last for d in won) for first in days if first <= last and is_stretch(first, last, won)),
            default=0,
        )
        for last in days
    }
    return Streaks(current=lengths.get(end, 0), longest=max(lengths.values(), default=0))


@settings(deadline=None)
@given(won=st.sets(near, max_size=DAYS), today=near)
def test_streaks_are_the_longest_runs(won: set[date], today: date) -> None:
    assert streaks(won, today) == by_definition(won, today)


@settings(deadline=None)
@given(missed=st.sets(near, max_size=8), today=near)
def test_streaks_of_a_regular_player(missed: set[date], today: date) -> None:
    won = {START + n * DAY for n in range(DAYS + 1)} - missed
    assert streaks(won, today) == by_definition(won, today)


@pytest.mark.parametrize(
    ("start", "pattern", "expected"),
    [
        (TODAY, "", (0, 0)),
        (date(2026, 3, 7), "###", (3, 3)),  # today is not missed until it is over
        (date(2026, 3, 5), "##.###", (5, 5)),  # a forgiven day does not count
        (date(2026, 3, 1), "###.##.###", (5, 5)),  # a second miss ends the streak before the first
        (date(2026, 3, 1), "#####..###", (3, 5)),  # two misses in a row break the streak
        (date(2026, 2, 26), "##..#########", (11, 11)),  # misses in two months are both forgiven
        (date(2026, 3, 1), "########", (8, 8)),  # yesterday is forgiven,
        (date(2026, 3, 1), "#######", (0, 7)),  # but not the day before as well
        (TODAY + DAY, "#", (0, 0)),  # a future day does not count
    ],
)
def test_one_missed_day_a_month_is_forgiven(start: date, pattern: str, expected: tuple[int, int]) -> None:
    assert streaks(run(start, pattern), TODAY) == Streaks(*expected)


LAST = factory.DAY


def wins(who: Any, back: range | list[int], state: str = "verified") -> None:
    days = [LAST - timedelta(days=n) for n in back]
    made = {deal.day: deal for deal in Deal.objects.filter(day__in=days)}
    for day in days:
        deal = made.get(day) or factory.deal("stonewall", day, seed=secrets.token_bytes(32))
        result = factory.listed(deal, BoardScore(52, 1_000, 50), who=who)
        Attempt.objects.filter(pk=result.attempt_id).update(end="won", started_at=deal.opens_at, state=state)


@pytest.mark.parametrize(
    ("back", "most"),
    [([], 1), ([0, 1, 2], 1), ([1, 2, 5, 6], 1), (list(range(62)), 2), (list(range(70)), 2), ([0, *range(61, 66)], 1)],
)
def test_it_equals_the_streak_over_all_days(back: list[int], most: int) -> None:
    who = factory.player()
    wins(who, back)
    with CaptureQueriesContext(connection) as asked:
        found = current_streak(who.pk, LAST)
    assert found == streaks(days_won(who.pk, date(2000, 1, 1)), LAST).current
    assert len(asked) <= most


def test_only_verified_wins_count() -> None:
    who = factory.player()
    wins(who, [0])
    wins(who, [1], "rejected")
    assert current_streak(who.pk, LAST) == 1
