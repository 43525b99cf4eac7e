"""Votes on puzzles. A puzzle with many bad votes is no longer offered; one reported as wrong counts like a bad vote."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Case, QuerySet, Sum, When

from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.puzzles.models import PuzzleTry, PuzzleVote, StoredPuzzle

#: Number by which bad votes exceed the good ones on a puzzle that is no longer offered.
TOO_BAD: Final = 3


def cast_vote(player: Player, stored: StoredPuzzle, vote: PuzzleVote.Vote) -> None:
    """Store a player's vote on a puzzle, in place of an earlier one.

    :raises Refusal: ACCOUNT_REQUIRED for guests, FORBIDDEN while the player may still find the solution.
    """
    if not player.has_page:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    own = PuzzleTry.objects.filter(player=player.pk, puzzle=stored)
    if not own.exclude(solved_at=None, failed_at=None).exists():
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")
    PuzzleVote.objects.update_or_create(player_id=player.pk, puzzle=stored, defaults={"vote": vote})


def vote_of(player: int, stored: StoredPuzzle) -> str:
    """Return a player's vote on a puzzle; empty if there is none."""
    return PuzzleVote.objects.filter(player=player, puzzle=stored).values_list("vote", flat=True).first() or ""


def unpopular() -> QuerySet[Any, Any]:
    """Return the keys of the puzzles that are no longer offered."""
    balance = Sum(Case(When(vote=PuzzleVote.Vote.GOOD, then=1), default=-1))
    return PuzzleVote.objects.values("puzzle").annotate(balance=balance).filter(balance__lte=-TOO_BAD).values("puzzle")
