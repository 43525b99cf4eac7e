"""Puzzle of the day, and streaks of days on which a player solved it.

Puzzles that no player has seen are reserved some days ahead. Until their day they are not offered anywhere.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import Max, QuerySet

from games.puzzles import history, store
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle

#: The most wrong moves after which a try at the day's puzzle has failed.
TRIES: Final = 3
#: A player who guesses solves the day's puzzle at most with a chance of one in this.
LUCK: Final = 8
#: The most turns of a daily puzzle, which should take about two minutes.
MAX_TURNS: Final = 3
#: Number of puzzles from which a day's is drawn.
DRAWN_FROM: Final = 10
#: Days ahead for which puzzles are reserved, and how many unseen ones must be left for other uses.
AHEAD: Final = 7
LEFT_OVER: Final = 100
#: Time after midnight in which solving the day's puzzle still counts.
GRACE: Final = timedelta(minutes=5)


def puzzle_of(day: date) -> StoredPuzzle:
    """Return the puzzle of today or a past day; today's is drawn when it is first asked for, if none is reserved.

    :raises StoredPuzzle.DoesNotExist: if there is no puzzle at all.
    """
    found = DailyPuzzle.objects.select_related("puzzle").filter(day=day).first()
    if found is None:
        store.ensure_any()
        found, _ = DailyPuzzle.objects.get_or_create(day=day, defaults={"puzzle": _draw()})
    return found.puzzle


def reserve(today: date) -> None:
    """Reserve puzzles that no player has seen for today and the coming days."""
    store.ensure_any()
    days = [today + timedelta(days=n) for n in range(AHEAD + 1)]
    reserved = DailyPuzzle.objects.in_bulk(days)
    for day in days:
        if day not in reserved and _unused().filter(history.unseen_by(None))[: LEFT_OVER + 1].count() > LEFT_OVER:
            DailyPuzzle.objects.get_or_create(day=day, defaults={"puzzle": _draw()})


def open_day(puzzle: StoredPuzzle, now: datetime) -> date | None:
    """Return the day whose puzzle this is: today, or yesterday until `GRACE` is over."""
    days = {now.date(), (now - GRACE).date()}
    return DailyPuzzle.objects.filter(day__in=days, puzzle=puzzle).values_list("day", flat=True).order_by("day").last()


def end_of(day: date) -> datetime:
    """Return the time until which solving the puzzle of a day counts."""
    return datetime.combine(day + timedelta(days=1), time(), UTC) + GRACE


def tries_for(puzzle: StoredPuzzle) -> int:
    """Return the number of wrong moves that end a try at a day's puzzle: up to three, so that guessing hardly helps."""
    return max(1, _fair_tries(puzzle))


def _fair_tries(puzzle: StoredPuzzle) -> int:
    """Return the most tries that give a guesser no better chance than one in `LUCK`; 0 if even one does.

    The wrong moves of a guesser at a turn with `k` ways are 0 to `k - 1`, all equally likely.
    """
    ways = [1 + len(losses) for losses in puzzle.contents["losses"]]
    sums = [1, *[0] * (TRIES - 1)]
    for k in ways:
        sums = [sum(sums[max(0, n - k + 1) : n + 1]) for n in range(TRIES)]
    return max(n for n in range(TRIES + 1) if LUCK * sum(sums[:n]) <= math.prod(ways))


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, counted from 1."""
    return DailyPuzzle.objects.filter(day__lte=day).count()


def _draw() -> StoredPuzzle:
    """Draw a random puzzle that is hard to guess: one that nobody has seen if possible, or else one not used before.

    :raises StoredPuzzle.DoesNotExist: if there is none at all.
    """
    unused, short = _unused(), _offered().filter(turns__lte=MAX_TURNS)
    tiers = (unused.filter(history.unseen_by(None)), unused, short, _offered())
    for least in (1, 0):
        for tier in tiers:
            if (puzzle := _draw_from(tier, least)) is not None:
                return puzzle
    raise StoredPuzzle.DoesNotExist


def _draw_from(candidates: QuerySet[StoredPuzzle], least: int) -> StoredPuzzle | None:
    """Draw a puzzle with at least these fair tries, of the least recently used variant that has one.

    Short ones near the end of a game are easiest to solve.
    """
    last_used = dict(DailyPuzzle.objects.values_list("puzzle__variant").annotate(Max("day")))
    variants = list(candidates.values_list("variant", flat=True).distinct().order_by("?"))
    for variant in sorted(variants, key=lambda name: last_used.get(name, date.min)):
        shortest = candidates.filter(variant=variant).order_by("moves", "pk")[: 10 * DRAWN_FROM]
        fair = [puzzle for puzzle in shortest if _fair_tries(puzzle) >= least]
        kind = [puzzle for puzzle in fair if _fair_tries(puzzle) > 1]
        if fair:
            return secrets.choice((kind if len(kind) >= DRAWN_FROM else fair)[:DRAWN_FROM])
    return None


def _offered() -> QuerySet[StoredPuzzle]:
    return StoredPuzzle.objects.filter(withdrawn="")


def _unused() -> QuerySet[StoredPuzzle]:
    return _offered().filter(turns__lte=MAX_TURNS, days=None)


def counts(row: PuzzleTry) -> bool:
    """Return whether a try solved the puzzle of its day in time."""
    return row.day is not None and row.solved_at is not None and row.solved_at < end_of(row.day)


def streak_of(player: int, now: datetime) -> int:
    """Return the number of days in a row, up to today or yesterday, on which a player solved the day's puzzle."""
    solved = PuzzleTry.objects.filter(player=player, solved_at__isnull=False, day__lte=now.date())
    return streak_in(solved.only("day", "solved_at"), now)


def streak_in(tries: Iterable[PuzzleTry], now: datetime) -> int:
    """Return the streak in a player's tries of days."""
    days = {row.day for row in tries if counts(row)}
    last = now.date() if now.date() in days else now.date() - timedelta(days=1)
    streak = 0
    while last - timedelta(days=streak) in days:
        streak += 1
    return streak
