"""All games that a player has finished: daily games, practice and races.

They never become fewer, unless a game is rejected. Practice closed before its end is deleted later, so it doesn't
count; nor do games continued from a replay or a puzzle.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet

from games.models import Attempt
from games.rules import CATALOGUE

#: Condition for practice. A race's deal can be practised after the race, without a deadline.
PRACTICE: Final = Q(ranked=False) & ~Q(deal__for_race=True, deadline__isnull=False)


class FinishedGame(NamedTuple):
    """A finished game; `grade` is its deal's, or None."""

    at: datetime
    variant: str
    is_practice: bool
    is_won: bool
    hinted: bool = False
    grade: int | None = None


def finished_games(player: int) -> QuerySet[Attempt, Any]:
    """Return the query of a player's finished games."""
    over = Attempt.objects.filter(player=player, continuation=None, deal__variant__in=CATALOGUE).exclude(end="")
    return over.exclude(state=Attempt.State.REJECTED).exclude(PRACTICE, end=Attempt.End.CLOSED)


def finished_games_of(player: int) -> list[FinishedGame]:
    """Return a player's finished games, in order."""
    games = finished_games(player).annotate(is_practice=PRACTICE, is_won=Q(end=Attempt.End.WON))
    columns = ("finished_at", "deal__variant", "is_practice", "is_won", "hinted", "deal__grade")
    return [FinishedGame(*row) for row in games.order_by("finished_at", "pk").values_list(*columns)]
