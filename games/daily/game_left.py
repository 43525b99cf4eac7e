"""The game that a player has left unfinished, which every page offers to resume."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import CharField, F, Q, Value
from django.db.models.functions import Cast
from django.urls import reverse

from games.attempts.lifecycle import has_progress
from games.models import Attempt
from games.presentation import titles
from games.puzzles.models import PuzzleTry
from games.rules import CATALOGUE

#: Age at which an unfinished game is no longer offered.
FORGOTTEN: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class GameLeft:
    """An unfinished game, daily, practice or race, or an unsolved puzzle; `variant` is empty for custom options."""

    game: str
    variant: str
    url: str

    @property
    def title(self) -> str:
        """The game's title."""
        return titles.deal_title(self.variant, self.game)


def game_left(player: int | None, now: datetime) -> GameLeft | None:
    """Return the latest unfinished game of a player, or else the latest puzzle with moves to find; None without any.

    Practice counts once it has a move.
    """
    if player is None:
        return None
    running = Attempt.objects.filter(player=player, state=Attempt.State.PLAYING, started_at__gt=now - FORGOTTEN)
    unsolved = PuzzleTry.objects.filter(player=player, solved_at=None, failed_at=None, begun_at__gt=now - FORGOTTEN)
    begun = running.filter(Q(ranked=True) | has_progress()).exclude(deadline__lte=now)
    games = begun.values_list(F("deal__game"), F("deal__variant"), Cast("public_id", CharField()), F("started_at"))
    puzzles = unsolved.exclude(turn=0).values_list(
        Value(""), F("puzzle__variant"), Cast("puzzle", CharField()), F("begun_at")
    )
    left = max(games.union(puzzles), key=lambda row: (row[0] != "", row[-1]), default=None)
    if left is None:
        return None
    game, variant, key, _at = left
    if game:
        return GameLeft(game, variant, reverse("games:table", args=[UUID(key)]))
    return GameLeft(CATALOGUE[variant].game, variant, reverse("games:puzzle", args=[key]))
