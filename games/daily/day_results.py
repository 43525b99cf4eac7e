"""How many people played and won each of a day's games."""

from __future__ import annotations

from datetime import date
from typing import Final, NamedTuple

from django.db.models import Count, Q

from games.db.shared_cache import SharedCache
from games.models import Attempt


class DealResults(NamedTuple):
    """Numbers of people who finished a game, and who won it."""

    played: int = 0
    won: int = 0


day_results: Final = SharedCache("day_results", dict[str, DealResults], fresh=60.0)


def ranked_results(day: date) -> dict[str, DealResults]:
    """Return the verified results of a day's ranked games, by variant."""
    return day_results.get(str(day), lambda: _read(Q(deal__day=day, ranked=True)))


def _read(deals: Q) -> dict[str, DealResults]:
    finished = Attempt.objects.filter(deals, state=Attempt.State.VERIFIED).order_by()
    people, winners = Count("player", distinct=True), Count("player", distinct=True, filter=Q(end=Attempt.End.WON))
    rows = finished.values_list("deal__variant").annotate(people=people, winners=winners)
    return {variant: DealResults(*counts) for variant, *counts in rows}
