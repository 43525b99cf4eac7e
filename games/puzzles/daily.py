"""Puzzle of the day, everyone's results with it, and streaks (docs/puzzles.md, "The puzzle of the day")."""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.db.models import Count, Max, QuerySet

from games.core.streaks import streaks
from games.deals.difficulty import GRADES
from games.manifests import SHORT_VARIANTS
from games.puzzles import history, store
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.selection import ASKS_WIN
from games.rules import CATALOGUE

#: The grade of each day's puzzle, Monday first.
WEEK: Final = (1, 2, 2, 3, 3, 4, 5)
#: The most wrong moves after which a try at the day's puzzle has failed.
TRIES: Final = 3
#: A player who guesses solves the day's puzzle at most with a chance of one in this.
LUCK: Final = 8
#: The most turns of a daily puzzle, which should take about two minutes.
MAX_TURNS: Final = 3
#: Days ahead for which puzzles are reserved, and how many unseen ones must be left for other uses.
AHEAD: Final = 60
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
        found, _ = DailyPuzzle.objects.get_or_create(day=day, defaults={"puzzle": _draw(day)})
    return found.puzzle


def reserve(today: date) -> None:
    """Reserve puzzles that no player has seen for today and the coming days; days that lack one wait for new ones."""
    store.ensure_any()
    DailyPuzzle.objects.filter(day__gt=today, puzzle__seen__isnull=False).delete()  # in a storm that was running
    days = [today + timedelta(days=n) for n in range(AHEAD + 1)]
    reserved = DailyPuzzle.objects.in_bulk(days)
    for day in days:
        new = _unused().filter(history.unseen_by(None))
        if day in reserved or new[: LEFT_OVER + 1].count() <= LEFT_OVER:
            continue
        if (puzzle := _draw_from(new, day, _games_of(day))) is not None:
            DailyPuzzle.objects.get_or_create(day=day, defaults={"puzzle": puzzle})


def open_day(puzzle: StoredPuzzle, now: datetime) -> date | None:
    """Return the day whose puzzle this is: today, or yesterday until `GRACE` is over."""
    days = {row.day for row in puzzle.days.all()} & {now.date(), (now - GRACE).date()}
    return max(days, default=None)


def end_of(day: date) -> datetime:
    """Return the time until which solving the puzzle of a day counts."""
    return datetime.combine(day + timedelta(days=1), time(), UTC) + GRACE


def tries_for(puzzle: StoredPuzzle) -> int:
    """Return the number of wrong moves that end a try at a day's puzzle: up to three, so that guessing hardly helps."""
    return max(1, _fair_tries(puzzle.contents["losses"]))


def _fair_tries(losses: Collection[Collection[str]]) -> int:
    """Return the most tries that give a guesser no better chance than one in `LUCK`; 0 if even one does.

    The wrong moves of a guesser at a turn with `k` ways are 0 to `k - 1`, all equally likely.
    """
    ways = [1 + len(turn) for turn in losses]
    sums = [1, *[0] * (TRIES - 1)]
    for k in ways:
        sums = [sum(sums[max(0, n - k + 1) : n + 1]) for n in range(TRIES)]
    return max(n for n in range(TRIES + 1) if LUCK * sum(sums[:n]) <= math.prod(ways))


def grade_of(day: date) -> int:
    """Return the grade of a day's puzzle, from gentle on Mondays to fiendish on Sundays."""
    return WEEK[day.weekday()]


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, counted from 1."""
    return DailyPuzzle.objects.filter(day__lte=day).count()


def _games_of(day: date) -> Collection[str]:
    """Return the variants for a day's puzzle: from Monday to Friday, only games that are learnt in a minute."""
    return SHORT_VARIANTS if day.weekday() < 5 else CATALOGUE


def _draw(day: date) -> StoredPuzzle:
    """Draw a fair puzzle of the day's games: unseen if possible, or else one not used before.

    :raises StoredPuzzle.DoesNotExist: if there is none at all.
    """
    unused, used = _unused(), StoredPuzzle.objects.filter(ASKS_WIN, withdrawn="")
    tiers = (unused.filter(history.unseen_by(None)), unused, used.filter(turns__lte=MAX_TURNS), used)
    for games, is_fair in ((_games_of(day), True), (CATALOGUE, True), (CATALOGUE, False)):
        for tier in tiers:
            if (puzzle := _draw_from(tier, day, games, is_fair=is_fair)) is not None:
                return puzzle
    raise StoredPuzzle.DoesNotExist


def _draw_from(
    candidates: QuerySet[StoredPuzzle], day: date, games: Collection[str], *, is_fair: bool = True
) -> StoredPuzzle | None:
    """Draw a puzzle of the day's grade and the least recently used variant that has one.

    A fair one cannot be guessed, and at some turn asks for more than whether to draw cards. Those that allow two or
    more tries come first.
    """
    last_used = dict(DailyPuzzle.objects.values_list("puzzle__variant").annotate(Max("day")))
    for variant in sorted(games, key=lambda name: last_used.get(name, date.min)):
        rows = candidates.filter(variant=variant).order_by("mu", "pk").values_list("pk", "contents__losses")
        found = [
            (pk, tries)
            for pk, losses in rows
            if ((tries := _fair_tries(losses)) and any(len(turn) > 1 for turn in losses)) or not is_fair
        ]
        if found:
            grade, size = grade_of(day), len(found)
            end = max(1, grade * size // len(GRADES))
            level = found[min((grade - 1) * size // len(GRADES), end - 1) : end]
            kind = [pk for pk, tries in level if tries > 1]
            return StoredPuzzle.objects.get(pk=secrets.choice(kind or [pk for pk, _ in level]))
    return None


def _unused() -> QuerySet[StoredPuzzle]:
    return StoredPuzzle.objects.filter(ASKS_WIN, withdrawn="", turns__lte=MAX_TURNS, days=None)


def results_of(puzzle: StoredPuzzle, today: date) -> dict[str, int | str] | None:
    """Return how many players finished a puzzle on its last day, how many solved it in time, and the most common first
    move, empty if unknown; None if it has had no day.
    """
    days = DailyPuzzle.objects.filter(puzzle=puzzle, day__lte=today)
    day = days.values_list("day", flat=True).order_by("day").last()
    if day is None:
        return None
    tries = PuzzleTry.objects.filter(puzzle=puzzle, day=day).exclude(solved_at=None, failed_at=None)
    moves = tries.exclude(first_move="").values_list("first_move").annotate(n=Count("pk"))
    first: Any = moves.order_by("-n", "first_move").first()
    solved = tries.filter(solved_at__lt=end_of(day)).count()
    return {"finished": tries.count(), "solved": solved, "first_move": first[0] if first else ""}


def counts(row: PuzzleTry) -> bool:
    """Return whether a try solved the puzzle of its day in time."""
    return row.day is not None and row.solved_at is not None and row.solved_at < end_of(row.day)


def streak_of(player: int, now: datetime) -> int:
    """Return a player's current streak of days on which the day's puzzle was solved (see `games.core.streaks`)."""
    solved = PuzzleTry.objects.filter(player=player, solved_at__isnull=False, day__lte=now.date())
    return streak_in(solved.only("day", "solved_at"), now)


def streak_in(tries: Iterable[PuzzleTry], now: datetime) -> int:
    """Return the streak in a player's tries of days."""
    days = {row.day for row in tries if row.day and counts(row)}
    return streaks(days, now.date()).current
