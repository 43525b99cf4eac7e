"""Calendar of the relaxed games of the past year: a player's result at each, and everyone's on a selected day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.db.models import Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.daily.day_results import DealResults, relaxed_results
from games.daily.relaxed_day import relaxed_day, relaxed_marks
from games.db.players import player_id
from games.deals import relaxed_deals
from games.presentation.anonymous_cache import cache_for_anonymous
from games.presentation.calendar_day import CalendarDay
from games.presentation.calendar_month import CalendarMonth
from games.presentation.view_models import ShownDeal
from games.rules import CATALOGUE


@dataclass(frozen=True, slots=True)
class RelaxedTile:
    """A relaxed deal, the player's mark, and everyone's results."""

    deal: ShownDeal
    mark: str
    results: DealResults


@require_safe
@never_cache
@cache_for_anonymous(2.0)
def relaxed(request: HttpRequest, month: date | None = None, day: date | None = None) -> HttpResponse:
    """Show a month, with the deals of `day`; by default this month and today."""
    now, player = timezone.now(), player_id(request)
    today = now.date()
    if month is None:
        day = day or today
        month = day.replace(day=1)
    first = relaxed_deals.playable(today).aggregate(first=Min("relaxed_day"))["first"] or today
    if not (first <= day <= today if day else first.replace(day=1) <= month <= today):
        raise Http404
    calendar = CalendarMonth(month, first, today)
    marks = relaxed_marks(player, calendar.first, calendar.end)

    def cell(of: date) -> CalendarDay | None:
        if of.month != month.month:
            return None
        mine = marks.get(of, {}) if first <= of <= today else None
        shown = tuple("none" if mine is None else mine.get(variant, "open") for variant in CATALOGUE)
        return CalendarDay(of, shown, is_today=of == today, is_chosen=of == day, to="games:relaxed_day")

    mine, results = marks.get(day, {}) if day else {}, relaxed_results(day) if day else {}
    context = {
        "month": calendar,
        "weeks": [[cell(of) for of in week] for week in calendar.weeks],
        "today": today,
        "chosen": day,
        "tiles": [
            RelaxedTile(
                ShownDeal.of(deal, now), mine.get(deal.variant, "open"), results.get(deal.variant, DealResults())
            )
            for deal in (relaxed_deals.relaxed_on(day) if day else [])
        ],
        "mine": relaxed_day(player, today),
    }
    return render(request, "games/relaxed.html", context)
