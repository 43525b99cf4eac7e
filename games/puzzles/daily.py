"""Puzzle of the day, and the players' streaks with it."""

from __future__ import annotations

import secrets
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from typing import Final

from django.db.models import Max

from games.puzzles import store
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.votes import unpopular

#: Wrong moves after which a try at today's puzzle has failed.
TRIES: Final = 3
#: The most turns of a daily puzzle, which should take about two minutes.
MAX_TURNS: Final = 3
#: Number of puzzles from which a day's is drawn.
DRAWN_FROM: Final = 10


def puzzle_of(day: date) -> StoredPuzzle:
    """Return the puzzle of today or a past day; today's is drawn when it is first asked for.

    :raises StoredPuzzle.DoesNotExist: if there is no puzzle at all.
    """
    found = DailyPuzzle.objects.select_related("puzzle").filter(day=day).first()
    if found is None:
        store.ensure_any()
        found, _ = DailyPuzzle.objects.get_or_create(day=day, defaults={"puzzle": _draw()})
    return found.puzzle


def is_puzzle_of(day: date, puzzle: StoredPuzzle) -> bool:
    """Return whether a puzzle is that of a day."""
    return DailyPuzzle.objects.filter(day=day, puzzle=puzzle).exists()


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, counted from 1."""
    return DailyPuzzle.objects.filter(day__lte=day).count()


def _draw() -> StoredPuzzle:
    """Draw a random puzzle of the least recently used variant. Short ones near the end of a game are easiest to solve.

    Prefer puzzles that no one has tried, then those that have not been a day's puzzle.
    """
    every = StoredPuzzle.objects.exclude(pk__in=unpopular())
    short = every.filter(turns__lte=MAX_TURNS)
    unused = short.filter(days=None)
    candidates = next((found for found in (unused.filter(tries=None), unused, short) if found.exists()), every)
    last_used = dict(DailyPuzzle.objects.values_list("puzzle__variant").annotate(Max("day")))
    variants = set(candidates.values_list("variant", flat=True))
    if not variants:
        raise StoredPuzzle.DoesNotExist
    never = [variant for variant in variants if variant not in last_used]
    variant = secrets.choice(sorted(never)) if never else min(variants, key=lambda name: last_used[name])
    shortest = candidates.filter(variant=variant).order_by("moves", "pk")[:DRAWN_FROM]
    return secrets.choice(shortest)


def streak_of(player: int, today: date) -> int:
    """Return the number of days in a row, up to today or yesterday, on which a player solved the day's puzzle."""
    solved = set(
        PuzzleTry.objects.filter(player=player, solved_at__isnull=False, day__lte=today).values_list("day", flat=True)
    )
    return _days_back(solved, today) or _days_back(solved, today - timedelta(days=1))


def _days_back(days: AbstractSet[date | None], last: date) -> int:
    count = 0
    while last - timedelta(days=count) in days:
        count += 1
    return count
