"""Puzzles of the past days, with the player's results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.players import player_id
from games.pages.puzzles.theme_titles import THEME_TITLES
from games.pages.shared import titles
from games.puzzles import daily
from games.puzzles.choice import stored_themes, stored_variants
from games.puzzles.models import DailyPuzzle, PuzzleTry
from games.rules import CATALOGUE

DAYS_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class PastPuzzle:
    """A day's puzzle, and the player's result: `solved`, `late` (solved on another day), `failed` or empty."""

    day: date
    number: int
    title: Promise
    turns: int
    result: str


@require_safe
@never_cache
def past_puzzles(request: HttpRequest) -> HttpResponse:
    """List the puzzles of the last days, newest first."""
    today, player = timezone.now().date(), player_id(request)
    days = list(DailyPuzzle.objects.select_related("puzzle").filter(day__lte=today).order_by("-day")[:DAYS_SHOWN])
    rows = PuzzleTry.objects.filter(player=player, puzzle__in=[one.puzzle_id for one in days]) if player else []
    own = {row.puzzle_id: row for row in rows}
    variants, themes = stored_variants(), stored_themes()
    context: dict[str, Any] = {
        "days": [
            PastPuzzle(
                one.day,
                one.puzzle_id,
                titles.VARIANT_TITLES[one.puzzle.variant],
                one.puzzle.turns,
                _result(own.get(one.puzzle_id), one.day),
            )
            for one in days
        ],
        "streak": daily.streak_of(player, today) if player else 0,
        "variants": [(name, titles.VARIANT_TITLES[name]) for name in CATALOGUE if name in variants],
        "themes": [(theme.value, title) for theme, title in THEME_TITLES.items() if theme in themes],
    }
    return render(request, "puzzles/past.html", context)


def _result(row: PuzzleTry | None, day: date) -> str:
    if row is None:
        return ""
    if row.solved_at is not None:
        return "solved" if row.day == day else "late"
    return "failed" if row.failed_at is not None else ""
