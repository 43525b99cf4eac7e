"""Puzzles on a player's profile page: rating, chart and number solved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from accounts.profile.profile_queries import HISTORY
from games.puzzles.models import PuzzleTry
from games.puzzles.ratings.rated_tries import estimate_of


@dataclass(frozen=True, slots=True)
class PuzzlePanel:
    """Puzzle panel of a profile: the rating, None without a rated try, and the numbers of puzzles rated and solved."""

    rating: int | None
    provisional: bool
    rated: int
    solved: int


def puzzle_panel_of(player: User) -> PuzzlePanel | None:
    """Return the player's puzzle panel, or None without a try that counts for anything."""
    tries = PuzzleTry.objects.filter(player=player).aggregate(rated=Count("rated_at"), solved=Count("solved_at"))
    if not any(tries.values()):
        return None
    estimate = estimate_of(player.pk)
    rating = round(estimate.mu) if tries["rated"] else None
    return PuzzlePanel(rating, provisional=not estimate.is_settled, **tries)


def puzzle_rating_history_of(player: User) -> list[tuple[datetime, int]]:
    """Return the points of the puzzle rating's chart, oldest first."""
    rated = PuzzleTry.objects.filter(player=player, rated_at__gte=timezone.now() - HISTORY)
    points: list[tuple[datetime, float]] = list(rated.order_by("rated_at", "pk").values_list("rated_at", "mu_after"))  # type: ignore[arg-type]
    return [(at, round(mu)) for at, mu in points]
