"""Puzzles on a player's profile page: rating, chart, number solved, and strengths by theme."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.functional import Promise

from accounts.models import User
from accounts.profile.contents import HISTORY
from games.puzzles.models import PuzzleTry
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.themes import Theme

#: The fewest decided tries at puzzles of a theme that are shown.
LEAST_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class ThemeStrength:
    """A player's decided tries at puzzles of a theme, and those without a mistake among them."""

    theme: Theme
    title: Promise
    tried: int
    flawless: int


@dataclass(frozen=True, slots=True)
class PuzzlePanel:
    """Puzzle panel of a profile: the rating, None without a rated try, the numbers of puzzles rated and solved, and the
    strengths by theme, best first.
    """

    rating: int | None
    provisional: bool
    rated: int
    solved: int
    themes: list[ThemeStrength]


def puzzle_panel_of(player: User) -> PuzzlePanel | None:
    """Return the player's puzzle panel, or None without a try that counts for anything."""
    tries = PuzzleTry.objects.filter(player=player).aggregate(rated=Count("rated_at"), solved=Count("solved_at"))
    if not any(tries.values()):
        return None
    estimate = estimate_of(player.pk)
    rating = round(estimate.mu) if tries["rated"] else None
    return PuzzlePanel(rating, provisional=not estimate.is_settled, **tries, themes=theme_strengths_of(player))


def theme_strengths_of(player: User) -> list[ThemeStrength]:
    """Return the player's strengths by theme, best first. A try is decided by the solution or the first wrong move."""
    decided = PuzzleTry.objects.filter(Q(mistakes__gt=0) | Q(solved_at__isnull=False), player=player)
    counts = decided.values_list("puzzle__themes__theme").annotate(
        tried=Count("pk"), flawless=Count("pk", filter=Q(mistakes=0))
    )
    found = {theme: (tried, flawless) for theme, tried, flawless in counts if tried >= LEAST_TRIES}
    shown = [ThemeStrength(theme, theme.label, *found[theme]) for theme in Theme if theme in found]
    return sorted(shown, key=lambda strength: strength.flawless / strength.tried, reverse=True)


def puzzle_rating_history_of(player: User) -> list[tuple[datetime, float, float]]:
    """Return the time, and the puzzle rating before and after, of the player's rated tries, oldest first."""
    rated = PuzzleTry.objects.filter(player=player, rated_at__gte=timezone.now() - HISTORY)
    return list(rated.order_by("rated_at", "pk").values_list("rated_at", "mu_before", "mu_after"))  # type: ignore[arg-type]
