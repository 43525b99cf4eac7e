"""History of what each player has seen, on the pages of puzzles and in runs (docs/puzzles.md, "Never twice")."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.db import IntegrityError
from django.db.models import Exists, OuterRef, Q

from games.puzzles.models import SeenPuzzle

Place = SeenPuzzle.Place


def mark_seen(player: int, puzzle: int, place: Place) -> str:
    """Store that a player sees a puzzle, and return the stored place. One seen in a run stays marked as such."""
    row = SeenPuzzle(player_id=player, puzzle_id=puzzle, place=place)
    if place != Place.PAGE:
        keys = ["player", "puzzle"]
        SeenPuzzle.objects.bulk_create([row], update_conflicts=True, unique_fields=keys, update_fields=["place"])
    elif known := place_of(player, puzzle):
        return known
    else:
        with suppress(IntegrityError):  # the guest has just signed in elsewhere
            SeenPuzzle.objects.bulk_create([row], ignore_conflicts=True)
    return place


def place_of(player: int, puzzle: int) -> str:
    """Return where a player saw a puzzle; empty if nowhere."""
    return SeenPuzzle.objects.filter(player=player, puzzle=puzzle).values_list("place", flat=True).first() or ""


def unseen_by(players: Collection[int] | None) -> Q:
    """Return the condition for puzzles that none of these players has seen, or no player at all if None."""
    seen = SeenPuzzle.objects.filter(puzzle=OuterRef("pk"))
    return ~Q(Exists(seen if players is None else seen.filter(player__in=players)))


def are_new(player: int, puzzles: Collection[int]) -> bool:
    """Return whether a player has seen none of these puzzles."""
    return not SeenPuzzle.objects.filter(player=player, puzzle__in=puzzles).exists()
