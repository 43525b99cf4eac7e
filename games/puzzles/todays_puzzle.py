"""Today's puzzle on the home page, and the player's result with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from games.deals.difficulty import grade_name
from games.presentation import titles
from games.puzzles import daily
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.tries import Progress


@dataclass(frozen=True, slots=True)
class TodaysPuzzle:
    """The visible facts of a day's puzzle."""

    title: str
    turns: int
    grade: str

    @classmethod
    def of(cls, day: date) -> TodaysPuzzle | None:
        """Return the puzzle of a day; None if there are no puzzles."""
        try:
            stored = daily.puzzle_of(day)
        except StoredPuzzle.DoesNotExist:
            return None
        return cls(str(titles.VARIANT_TITLES[stored.variant]), stored.turns, grade_name(daily.grade_of(day)))


@dataclass(frozen=True, slots=True)
class DayProgress:
    """A player's progress with the puzzle of a day, None before the first move, and the streak up to it."""

    progress: Progress | None
    streak: int


def progress_of_day(player: int | None, now: datetime) -> DayProgress | None:
    """Return a player's progress with today's puzzle; None for visitors."""
    if player is None:
        return None
    rows = list(PuzzleTry.objects.filter(player=player, day__lte=now.date()))
    todays = next((row for row in rows if row.day == now.date()), None)
    return DayProgress(Progress.of(todays) if todays else None, daily.streak_in(rows, now))
