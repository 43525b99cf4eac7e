"""Calendar of the puzzles of the day, with the player's results, and the ways to other puzzles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

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
from games.puzzles import daily, history
from games.puzzles.models import DailyPuzzle, PuzzleTry
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.selection import new_left, stored_themes, stored_variants
from games.puzzles.themes import Theme
from games.puzzles.todays_puzzle import TodaysPuzzle, progress_of_day
from games.rules import CATALOGUE


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
    variants, themes = stored_variants(), stored_themes()
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
        "missed": history.missed_lately(player, now) if player else [],
        "rating": estimate_of(player) if has_account(request) else None,
        "variants": [(name, titles.VARIANT_TITLES[name]) for name in CATALOGUE if name in variants],
        "themes": [(theme.value, theme.label) for theme in Theme if theme in themes],
    }
    return render(request, "puzzles/past.html", context)


def _puzzles_of(month: CalendarMonth, player: int | None, today: date) -> dict[date, PastPuzzle]:
    days = list(
        DailyPuzzle.objects.select_related("puzzle").filter(day__gte=month.first, day__lt=month.end, day__lte=today)
    )
    rows = PuzzleTry.objects.filter(player=player, puzzle__in=[one.puzzle_id for one in days]) if player else []
    own = {row.puzzle_id: row for row in rows} | {row.day: row for row in rows if row.day}
    return {
        one.day: PastPuzzle(
            one.puzzle_id,
            titles.VARIANT_TITLES[one.puzzle.variant],
            one.puzzle.turns,
            _mark(own.get(one.day) or own.get(one.puzzle_id), one.day),
        )
        for one in days
    }


def _mark(row: PuzzleTry | None, day: date) -> str:
    if row is None:
        return "open"
    if row.solved_at is not None:
        return "won" if row.day == day and daily.counts(row) else "late"
    return "playing" if row.failed_at is None else "lost"
