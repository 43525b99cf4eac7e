"""Choice of the next puzzle for a player."""

from __future__ import annotations

import secrets
from typing import Final

from django.db.models import F
from django.db.models.functions import Abs
from django.utils import timezone

from games.puzzles import store
from games.puzzles.models import PuzzleTheme, PuzzleTry, StoredPuzzle
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.themes import Theme
from games.puzzles.votes import unpopular

#: Number of puzzles around the player's rating from which the next one is drawn.
NEAREST: Final = 10


def next_puzzle(player: int | None, variant: str | None, theme: Theme | None = None) -> StoredPuzzle | None:
    """Return a random puzzle near the player's rating that the player has not tried; None if none is left.

    It is of one variant and theme, or of any. Guests and visitors get puzzles near the initial rating. Today's
    puzzle is never returned: it has a limit on wrong moves, and a page of its own. Neither is an unpopular one.
    """
    store.ensure_any()
    untried = StoredPuzzle.objects.exclude(days__day=timezone.now().date()).exclude(pk__in=unpopular())
    if variant is not None:
        untried = untried.filter(variant=variant)
    if theme is not None:
        untried = untried.filter(themes__theme=theme)
    if player is not None:
        untried = untried.exclude(pk__in=PuzzleTry.objects.filter(player=player).values("puzzle"))
    distance = Abs(F("mu") - estimate_of(player).mu)
    keys = untried.order_by(distance, "pk").values_list("pk", flat=True)[:NEAREST]
    return StoredPuzzle.objects.get(pk=secrets.choice(keys)) if keys else None


def stored_variants() -> set[str]:
    """Return the variants that have puzzles."""
    return set(StoredPuzzle.objects.values_list("variant", flat=True).distinct())


def stored_themes() -> set[str]:
    """Return the themes that have puzzles."""
    return set(PuzzleTheme.objects.values_list("theme", flat=True).distinct())
