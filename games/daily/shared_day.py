"""Part of the home page that is common to everyone in one language, read and rendered once for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from games.daily.day_places import DayBoards, boards
from games.daily.day_results import ranked_results, relaxed_results
from games.db.shared_cache import SharedCache
from games.deals import publishing, relaxed_deals
from games.models import Attempt
from games.presentation.view_models import ShownDeal
from games.puzzles.todays_puzzle import TodaysPuzzle
from games.rules import CATALOGUE

#: Time from a verdict to its commit, at most.
COMMIT: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class SharedDay:
    """The day's published deals in catalogue order, ranked and relaxed, the leaders, each tile's rendered head and
    unplayed foot, the rendered best of the nine, and today's puzzle.
    """

    deals: list[ShownDeal]
    relaxed: list[ShownDeal]
    boards: DayBoards
    heads: Mapping[int, SafeString]
    feet: Mapping[int, SafeString]
    best: SafeString
    puzzle: TodaysPuzzle | None


shared_days: Final = SharedCache("shared_days", SharedDay, fresh=3.0)


def shared_day(now: datetime, attempts: Iterable[Attempt] = ()) -> SharedDay:
    """Return the common part of the day. It is not cached until all of the day's deals are published.

    It includes the results of these attempts, so that a player sees what they have just done.
    """
    verdicts = [attempt.verified_at for attempt in attempts if attempt.ranked and attempt.verified_at is not None]
    return shared_days.get(
        f"{now.date()}.{get_language()}",
        lambda: _read(now),
        is_complete=lambda day: len(day.deals) == len(CATALOGUE),
        since=max(verdicts) + COMMIT if verdicts else None,
    )


def _read(now: datetime) -> SharedDay:
    deals = [ShownDeal.of(deal, now) for deal in publishing.todays_deals(now)]
    day_boards = boards().of_day(now.date(), [deal.id for deal in deals])
    yesterday = ranked_results(now.date() - timedelta(days=1))
    heads = {
        deal.id: render_to_string("games/_tile.html", {"deal": deal, "yesterday": yesterday.get(deal.variant)})
        for deal in deals
    }
    feet = {
        deal.id: render_to_string("games/_foot.html", {"deal": deal, "leader": day_boards.leaders.get(deal.id)})
        for deal in deals
    }
    best = render_to_string("games/_best.html", {"boards": day_boards})
    relaxed = [ShownDeal.of(deal, now) for deal in relaxed_deals.todays_relaxed(now.date())]
    results = relaxed_results(now.date())
    heads |= {
        deal.id: render_to_string("games/_tile.html", {"deal": deal, "today": results.get(deal.variant)})
        for deal in relaxed
    }
    return SharedDay(deals, relaxed, day_boards, heads, feet, best, TodaysPuzzle.of(now.date()))
