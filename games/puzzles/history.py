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
    if place == Place.PAGE:
        with suppress(IntegrityError):  # the guest has just signed in elsewhere
            row, _ = SeenPuzzle.objects.get_or_create(player_id=player, puzzle_id=puzzle, defaults={"place": place})
            return row.place
    else:
        rows, keys = [SeenPuzzle(player_id=player, puzzle_id=puzzle, place=place)], ["player", "puzzle"]
        SeenPuzzle.objects.bulk_create(rows, update_conflicts=True, unique_fields=keys, update_fields=["place"])
    return place


def unseen_by(players: Collection[int] | None) -> Q:
    """Return the condition for puzzles that none of these players has seen, or no player at all if None."""
    seen = SeenPuzzle.objects.filter(puzzle=OuterRef("pk"))
    return ~Q(Exists(seen if players is None else seen.filter(player__in=players)))


def are_new(player: int, puzzles: Collection[int]) -> bool:
    """Return whether a player has seen none of these puzzles."""
    return not SeenPuzzle.objects.filter(player=player, puzzle__in=puzzles).exists()
