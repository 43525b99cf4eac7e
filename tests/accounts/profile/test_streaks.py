"""Streaks, with one missed day per calendar month forgiven."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.profile.streaks import Streaks, streaks

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


@settings(deadline=None)
@given(won=st.sets(near), today=near)
def test_streaks_are_bounded_by_the_days_won(won: set[date], today: date) -> None:
    found = streaks(won, today)
    assert 0 <= found.current <= found.longest <= len(won)


@settings(deadline=None)
@given(won=st.sets(near), today=near)
def test_winning_today_adds_one_day(won: set[date], today: date) -> None:
    before = streaks(won - {today}, today).current
    assert streaks(won | {today}, today).current == before + 1


def test_no_wins_are_no_streak() -> None:
    assert streaks(set(), TODAY) == Streaks(0, 0)


def test_today_is_not_missed_until_it_is_over() -> None:
    assert streaks(run(date(2026, 3, 7), "###"), TODAY) == Streaks(3, 3)


def test_a_forgiven_day_does_not_count() -> None:
    assert streaks(run(date(2026, 3, 5), "##.###"), TODAY) == Streaks(5, 5)


def test_a_second_miss_ends_the_streak_before_the_first() -> None:
    assert streaks(run(date(2026, 3, 1), "###.##.###"), TODAY) == Streaks(5, 5)


def test_two_misses_in_a_row_break_the_streak() -> None:
    assert streaks(run(date(2026, 3, 1), "#####..###"), TODAY) == Streaks(3, 5)


def test_misses_in_two_months_are_both_forgiven() -> None:
    assert streaks(run(date(2026, 2, 26), "##..#########"), TODAY) == Streaks(11, 11)


def test_yesterday_missed_is_forgiven_once() -> None:
    assert streaks(run(date(2026, 3, 1), "########"), TODAY) == Streaks(8, 8)
    assert streaks(run(date(2026, 3, 1), "#######"), TODAY) == Streaks(0, 7)


def test_future_days_do_not_count() -> None:
    assert streaks({TODAY + DAY}, TODAY) == Streaks(0, 0)
