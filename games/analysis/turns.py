"""Turns in the analysis queue: those with the fewest analyses come first, and the oldest request among equals.

Networks take turns, and so do the players of a network. Analyses in progress and those of the last minutes count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from operator import itemgetter
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from games.analysis.models import Analysis
from games.core.player_networks import sources_of

#: Time for which a finished analysis counts: some fifteen in one worker.
RECENT: Final = timedelta(minutes=10)

_Row = tuple[int, int | None]


def in_turn(waiting: QuerySet[Analysis]) -> list[int]:
    """Return the ids of these analyses in the order in which to make them."""
    rows: list[_Row] = list(waiting.order_by("asked_at", "pk").values_list("pk", "asked_by"))
    counted = ~Q(state=Analysis.State.DONE) | Q(done_at__gt=timezone.now() - RECENT)
    others = Analysis.objects.filter(counted).exclude(pk__in=[pk for pk, _ in rows]).values_list("pk", "asked_by")
    served: list[_Row] = list(others)
    sources = sources_of(player for _, player in (*rows, *served))
    rows = _by_turns(rows, served, itemgetter(1))
    return [pk for pk, _ in _by_turns(rows, served, lambda row: sources[row[1]])]


def _by_turns(rows: list[_Row], served: list[_Row], owner_of: Callable[[_Row], object]) -> list[_Row]:
    """Sort the rows by the number of earlier rows with the same owner."""
    counts = Counter(map(owner_of, served))
    turns: list[tuple[int, _Row]] = []
    for row in rows:
        turns.append((counts[owner := owner_of(row)], row))
        counts[owner] += 1
    return [row for _, row in sorted(turns, key=itemgetter(0))]
