"""Hub of all puzzles: today's, other ways to solve some, missed ones, and the calendar with the player's results."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.players import has_account, player_id
from games.presentation import titles
from games.presentation.calendar_month import CalendarMonth
from games.puzzles import daily, reviews
from games.puzzles.models import DailyPuzzle, MissedPuzzle, PuzzleTheme, PuzzleTry, StoredPuzzle
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.selection import new_left
from games.puzzles.themes import Theme
from games.puzzles.todays_puzzle import TodaysPuzzle, progress_of_day
from games.rules import CATALOGUE

#: Missed puzzles that are listed.
MISSED: Final = 40


@dataclass(frozen=True, slots=True)
class PastPuzzle:
    """A day's puzzle, and the player's result as a mark of the calendar: `won`, `late` (solved on another day), `lost`,
    `playing` or `open`.
    """

    number: int
    title: Promise
    turns: int
    mark: str


@require_safe
@never_cache
def past_puzzles(request: HttpRequest, month: date | None = None) -> HttpResponse:
    """Show the puzzles of a month, by default this one."""
    now, player = timezone.now(), player_id(request)
    today = now.date()
    todays = TodaysPuzzle.of(today)  # drawn on the first visit of the day
    earliest = DailyPuzzle.objects.aggregate(first=Min("day"))["first"] or today
    shown = CalendarMonth(month or today.replace(day=1), earliest, today)
    if shown.first > today or shown.end <= earliest:
        raise Http404
    puzzles = _puzzles_of(shown, player, today)
    variants = set(StoredPuzzle.objects.values_list("variant", flat=True).distinct())
    themes = set(PuzzleTheme.objects.values_list("theme", flat=True).distinct())
    context: dict[str, Any] = {
        "month": shown,
        "weeks": [
            [(day, puzzles.get(day)) if day.month == shown.first.month else (None, None) for day in week]
            for week in shown.weeks
        ],
        "today": today,
        "puzzle": todays,
        "progress": progress_of_day(player, now),
        "left": new_left(player),
        "missed": _missed(player, today) if player else [],
        "rating": estimate_of(player) if has_account(request) else None,
        "variants": [(name, titles.VARIANT_TITLES[name]) for name in CATALOGUE if name in variants],
        "themes": [(theme.value, theme.label) for theme in Theme if theme in themes],
    }
    return render(request, "puzzles/past.html", context)


def _missed(player: int, today: date) -> list[tuple[MissedPuzzle, Promise, bool]]:
    """Return the puzzles that a player has missed, with their titles, and whether they are due for review."""
    return [
        (missed, titles.VARIANT_TITLES[missed.puzzle.variant], missed.due_on <= today)
        for missed in reviews.missed_by(player)[:MISSED]
    ]


def _puzzles_of(month: CalendarMonth, player: int | None, today: date) -> dict[date, PastPuzzle]:
    days = list(
        DailyPuzzle.objects.select_related("puzzle").filter(day__gte=month.first, day__lt=month.end, day__lte=today)
    )
    tries = defaultdict[int, list[PuzzleTry]](list)
    for row in PuzzleTry.objects.filter(player=player, puzzle__in=[one.puzzle_id for one in days]) if player else ():
        tries[row.puzzle_id].append(row)
    return {
        one.day: PastPuzzle(
            one.puzzle_id,
            titles.VARIANT_TITLES[one.puzzle.variant],
            one.puzzle.turns,
            _mark(tries[one.puzzle_id], one.day),
        )
        for one in days
    }


def _mark(tries: list[PuzzleTry], day: date) -> str:
    if any(row.day == day and daily.counts(row) for row in tries):
        return "won"
    if any(row.solved_at for row in tries):
        return "late"
    if any(row.failed_at for row in tries):
        return "lost"
    return "playing" if tries else "open"
