"""Puzzles that a player missed lately and has not solved since, to try them again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from games.puzzles.models import PuzzleTry, StormRun

RECENT: Final = timedelta(days=7)


def missed_lately(player: int, now: datetime) -> list[int]:
    """Return the numbers of puzzles missed in the last week's storms, races and tries, in order, without today's."""
    runs = StormRun.objects.filter(player=player, begun_at__gte=now - RECENT).order_by("begun_at")
    tries = PuzzleTry.objects.filter(player=player, begun_at__gte=now - RECENT, mistakes__gt=0, solved_at=None)
    own = tries.exclude(day=now.date()).order_by("begun_at").values_list("puzzle", flat=True)
    missed = dict.fromkeys([*(key for run in runs for key in run.missed), *own])
    tried = PuzzleTry.objects.filter(player=player, puzzle__in=missed, solved_at__isnull=False)
    solved = set(tried.values_list("puzzle", flat=True))
    return [key for key in missed if key not in solved]
