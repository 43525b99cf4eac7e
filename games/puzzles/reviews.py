"""Reviews: a missed puzzle comes back until its player has solved it three times (docs/puzzles.md, "Review")."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from django.db.models import F, QuerySet
from django.utils import timezone

from games.puzzles import selection
from games.puzzles.models import MissedPuzzle, StoredPuzzle

#: Days from a mistake to the first review, and from each solved review to the next.
STEPS: Final = (1, 3, 10)


def miss(player: int, puzzle: int, turn: int, token: str, today: date) -> None:
    """Store that a player has missed a puzzle, by a wrong move at a turn."""
    values = {"turn": turn, "token": token, "passed": 0, "due_on": today + timedelta(days=STEPS[0])}
    MissedPuzzle.objects.update_or_create(player_id=player, puzzle_id=puzzle, defaults=values)


def succeed(player: int, puzzle: int, today: date) -> None:
    """Store that a player has solved a puzzle in a review; after the last step it is no longer a missed one."""
    missed = MissedPuzzle.objects.filter(player=player, puzzle=puzzle)
    for step, days in enumerate(STEPS[1:]):
        if missed.filter(passed=step).update(passed=F("passed") + 1, due_on=today + timedelta(days=days)):
            return
    missed.delete()


def missed_puzzle(player: int | None, puzzle: int) -> MissedPuzzle | None:
    """Return the mistake with which a player missed a puzzle; None without one."""
    return MissedPuzzle.objects.filter(player=player, puzzle=puzzle).first() if player else None


def next_due(player: int | None) -> StoredPuzzle | None:
    """Return the puzzle that has been due for the longest time; None if none is due."""
    due = missed_by(player).filter(due_on__lte=timezone.now().date()).first() if player else None
    return due.puzzle if due else None


def missed_by(player: int) -> QuerySet[MissedPuzzle]:
    """Return the puzzles that a player has missed, in the order in which they are due, without today's puzzle."""
    missed = MissedPuzzle.objects.filter(player=player, puzzle__in=selection.offered())
    return missed.select_related("puzzle").order_by("due_on", "pk")
