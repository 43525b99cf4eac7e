"""Numbers of players and winners of each of a day's games."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final, NamedTuple

from django.db.models import Count, Q

from games.db.shared_cache import SharedCache
from games.models import Attempt


class DealResults(NamedTuple):
    """Numbers of people who finished a game, and who won it."""

    played: int = 0
    won: int = 0


_UNCOUNTED: Final = (Attempt.State.PLAYING, Attempt.State.REJECTED)

day_results: Final = SharedCache("day_results", dict[str, DealResults], fresh=60.0)


def ranked_results(day: date) -> dict[str, DealResults]:
    """Return the verified results of a day's ranked games, by variant."""
    return day_results.get(str(day), lambda: _read(Q(deal__day=day, ranked=True)))


def relaxed_results(day: date, *, since: datetime | None = None) -> dict[str, DealResults]:
    """Return the results of a day's relaxed games, by variant, with all those up to `since`."""
    return day_results.get(f"relaxed.{day}", lambda: _read(Q(deal__relaxed_day=day, continuation=None)), since=since)


def _read(deals: Q) -> dict[str, DealResults]:
    finished = Attempt.objects.filter(deals).exclude(state__in=_UNCOUNTED).order_by()
    people, winners = Count("player", distinct=True), Count("player", distinct=True, filter=Q(end=Attempt.End.WON))
    rows = finished.values_list("deal__variant").annotate(people=people, winners=winners)
    return {variant: DealResults(*counts) for variant, *counts in rows}
