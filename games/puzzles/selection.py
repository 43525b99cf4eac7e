"""Choice of puzzles for players: unseen ones first, and none that is reserved for a coming day."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.puzzles import history, store
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.puzzle import ASK_FOR_LOSS
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.themes import Theme
from games.rules import CATALOGUE

#: Number of puzzles around the player's rating from which the next one is drawn.
NEAREST: Final = 10
#: Rating of a streak's first puzzle, and points by which each following one is harder at least.
EASY: Final = 900.0
HARDER: Final = 20.0
#: Number of new puzzles left at which the page starts to show it.
NEAR_END: Final = 30
#: Puzzles that ask for a win. Storms, races, streaks and days have no others: the question must not change in between.
ASKS_WIN: Final = Q(variant__in=[name for name, variant in CATALOGUE.items() if variant.game not in ASK_FOR_LOSS])


def offered() -> QuerySet[StoredPuzzle]:
    """Return the puzzles that may be drawn: not the puzzles of today and the coming days, nor withdrawn ones."""
    return StoredPuzzle.objects.filter(withdrawn="").exclude(days__day__gte=timezone.now().date())


def numbered(number: int) -> StoredPuzzle:
    """Return a puzzle by its number.

    :raises Refusal: NOT_FOUND if there is none, or if it is the puzzle of a coming day.
    """
    stored = StoredPuzzle.objects.prefetch_related("days").filter(pk=number).first()
    if stored is None or any(row.day > timezone.now().date() for row in stored.days.all()):
        raise Refusal(ErrorCode.NOT_FOUND, "there is no puzzle with this number")
    return stored


def next_puzzle(player: int | None, variant: str | None, theme: Theme | None = None) -> StoredPuzzle | None:
    """Return a random puzzle near the player's rating, of one variant and theme or of any; None if all are tried.

    Those that the player has not seen come first. Guests and visitors get puzzles near the initial rating.
    """
    store.ensure_any()
    found = offered()
    if variant is not None:
        found = found.filter(variant=variant)
    if theme is not None:
        found = found.filter(themes__theme=theme)
    tiers = [found]
    if player is not None:
        untried = found.exclude(pk__in=PuzzleTry.objects.filter(player=player).values("puzzle"))
        tiers = [untried.filter(history.unseen_by([player])), untried]
    mu = estimate_of(player).mu
    keys = next(filter(None, (_nearest(tier, mu) for tier in tiers)), None)
    return StoredPuzzle.objects.get(pk=secrets.choice(keys)) if keys else None


def _nearest(found: QuerySet[StoredPuzzle], mu: float) -> list[int]:
    """Return the keys of the puzzles nearest to a rating. Both queries follow the index and stop early."""
    sides = found.filter(mu__gte=mu).order_by("mu", "pk"), found.filter(mu__lt=mu).order_by("-mu", "-pk")
    both = [row for side in sides for row in side.values_list("mu", "pk")[:NEAREST]]
    return [key for _, key in sorted(both, key=lambda row: abs(row[0] - mu))[:NEAREST]]


def draw_harder(player: int, before: Sequence[int]) -> StoredPuzzle | None:
    """Draw the next puzzle of a streak, a little harder than the last one if possible, and new to the player.

    Seen puzzles follow when no new one is left; None if the streak has had them all.
    """
    last = StoredPuzzle.objects.filter(pk__in=before[-1:]).first()
    found = offered().filter(ASKS_WIN).exclude(pk__in=before).defer("contents")
    for tier in (found.filter(history.unseen_by([player])), found):
        harder = tier.filter(mu__gte=last.mu + HARDER if last else EASY).order_by("mu", "pk")
        if rows := list(harder[:NEAREST]) or list(tier.order_by("-mu", "pk")[:NEAREST]):
            return secrets.choice(rows)
    return None


def new_left(player: int | None) -> int | None:
    """Return how many puzzles a player has not seen; None if there are many, and for visitors."""
    if player is None:
        return None
    left = offered().filter(history.unseen_by([player]))[: NEAR_END + 1].count()
    return left if left <= NEAR_END else None
