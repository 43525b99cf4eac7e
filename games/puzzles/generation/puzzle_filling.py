"""Background job that makes puzzles while the site is idle (docs/puzzles.md, "Making more").

Each search runs in a process of its own at the lowest priority (`generator.search`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from games.analysis.models import Analysis
from games.core.background_threads import BackgroundJob
from games.core.search_process import run_search
from games.deals import sealed_stock, stock_filling
from games.puzzles import daily, selection, store
from games.puzzles.generation import generator, sources
from games.puzzles.models import SeenPuzzle, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow

#: Puzzles that an idle site makes in a day, even if enough are unseen.
A_DAY: Final = 60
#: Number of the week's most active players whose unseen puzzles are counted.
KEENEST: Final = 10
#: Niceness of a search, and its time limit in seconds.
NICENESS: Final = 19
SECONDS: Final = 300.0
#: Seconds between two looks at whether the site is still idle.
POLL_SECONDS: Final = 5.0


def start_filling() -> threading.Thread | None:
    """Make puzzles in a background thread; return None if none are needed, the site is busy, or it is being done."""
    return None if next_variant() is None or is_busy() else _filling.start()


def next_variant() -> str | None:
    """Return the variant with the fewest unseen puzzles, if puzzles are needed.

    A variant without any puzzle is left to `manage.py make_puzzles`: its games may hardly ever have one.
    """
    left = dict(selection.offered().values_list("variant").annotate(Count("pk")))
    if not left or not settings.PUZZLE_STOCK:
        return None
    now = timezone.now()
    week = SeenPuzzle.objects.filter(seen_at__gt=now - timedelta(days=7)).values_list("player")
    keenest = [player for player, _ in week.annotate(n=Count("pk")).order_by("-n")[:KEENEST]]
    seen = SeenPuzzle.objects.filter(player__in=keenest, puzzle__in=selection.offered())
    by_variant = seen.values("player", "puzzle__variant").annotate(n=Count("pk"))
    most = dict(by_variant.order_by("n").values_list("puzzle__variant", "n"))
    unseen, variant = min((number - most.get(name, 0), name) for name, number in left.items())
    added = StoredPuzzle.objects.filter(added_at__gt=now - timedelta(days=1)).count()
    return variant if unseen < settings.PUZZLE_STOCK or added < A_DAY else None


def is_busy() -> bool:
    """Return True while players, deals or analyses need the CPU: those here, or other processes of the machine."""
    is_loaded = os.getloadavg()[0] > (os.cpu_count() or 1)
    is_short = sealed_stock.next_variant() is not None
    analyses = Analysis.objects.exclude(state=Analysis.State.DONE)
    return is_loaded or is_short or stock_filling.is_paused() or analyses.exists()


def _fill() -> None:
    """Make puzzles until none are needed or the site is busy; the periodic task starts it again."""
    while not is_busy() and (variant := next_variant()) is not None:
        attempt, positions = sources.next_game(variant) or (None, [])
        found = False
        for puzzle in search(variant, positions, stop=is_busy):
            found = True
            if not store.has_near(puzzle):
                n = positions.index(puzzle.start) if puzzle.start in positions else None
                store.add([PuzzleRow.of(puzzle)], source=attempt, source_n=n)
                daily.reserve(timezone.now().date())
        if attempt and not found and is_busy():
            sources.put_back(attempt)


#: The thread of this worker that makes puzzles.
_filling: Final = BackgroundJob("fill-puzzles", _fill)


def search(variant: str, positions: list[str], *, stop: Callable[[], bool]) -> Iterator[Puzzle]:
    """Search in another process until it has ended, `stop` becomes true or time is up."""
    request = variant, positions
    return run_search(generator.search, request, niceness=NICENESS, seconds=SECONDS, stop=stop, every=POLL_SECONDS)
