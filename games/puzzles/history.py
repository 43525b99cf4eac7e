"""History of what each player has seen: puzzles on their pages, in storms and in races; and those missed lately.

There is one row for each player and puzzle, so that two tabs cannot write it twice. Next puzzles, storms and races draw
puzzles without a row first.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError
from django.db.models import Exists, OuterRef, Q

from games.puzzles.models import PuzzleTry, SeenPuzzle, StormRun

Place = SeenPuzzle.Place
#: Time for which a missed puzzle is listed.
RECENT: Final = timedelta(days=7)


def mark_seen(player: int, puzzle: int, place: Place) -> None:
    """Store that a player sees a puzzle. One seen in a storm or race stays marked as such."""
    row = SeenPuzzle(player_id=player, puzzle_id=puzzle, place=place)
    if place != Place.PAGE:
        keys = ["player", "puzzle"]
        SeenPuzzle.objects.bulk_create([row], update_conflicts=True, unique_fields=keys, update_fields=["place"])
    elif not place_of(player, puzzle):
        with suppress(IntegrityError):  # the guest has just signed in elsewhere
            SeenPuzzle.objects.bulk_create([row], ignore_conflicts=True)


def place_of(player: int, puzzle: int) -> str:
    """Return where a player saw a puzzle; empty if nowhere."""
    return SeenPuzzle.objects.filter(player=player, puzzle=puzzle).values_list("place", flat=True).first() or ""


def unseen_by(players: Collection[int] | None) -> Q:
    """Return the condition for puzzles that none of these players has seen, or no player at all if None."""
    seen = SeenPuzzle.objects.filter(puzzle=OuterRef("pk"))
    return ~Q(Exists(seen if players is None else seen.filter(player__in=players)))


def hand_over(before: int, after: int) -> None:
    """Move a guest's history to an account."""
    own = SeenPuzzle.objects.filter(player=after)
    SeenPuzzle.objects.filter(player=before).exclude(puzzle__in=own.values("puzzle")).update(player=after)


def missed_lately(player: int, now: datetime) -> list[int]:
    """Return the numbers of puzzles missed in the last week's storms, races and tries, in order, without today's."""
    runs = StormRun.objects.filter(player=player, begun_at__gte=now - RECENT).order_by("begun_at")
    tries = PuzzleTry.objects.filter(player=player, begun_at__gte=now - RECENT, mistakes__gt=0, solved_at=None)
    own = tries.exclude(day=now.date()).order_by("begun_at").values_list("puzzle", flat=True)
    missed = dict.fromkeys([*(key for run in runs for key in run.missed), *own])
    tried = PuzzleTry.objects.filter(player=player, puzzle__in=missed, solved_at__isnull=False)
    solved = set(tried.values_list("puzzle", flat=True))
    return [key for key in missed if key not in solved]
