"""Archive: a monthly calendar of all days with deals, and the deals of a selected day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, TypedDict

from django.db.models import Max, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.attempts.player_attempts import ranked_attempts
from games.daily.day_summary import is_played, mark_of
from games.db.players import player_id
from games.db.replicas.replica_choice import from_replica
from games.db.shared_cache import SharedCache
from games.models import Attempt, Deal
from games.presentation.anonymous_cache import cache_for_anonymous
from games.presentation.calendar_day import CalendarDay
from games.presentation.calendar_month import CalendarMonth
from games.presentation.view_models import DealTile
from games.rules import CATALOGUE


class FirstAndLast(TypedDict):
    """First and last day with deals, or None."""

    first: date | None
    last: date | None


#: Shared caches of the days with deals.
months: Final = SharedCache("months", dict[date, dict[str, int]], fresh=2.0)
first_and_last_days: Final = SharedCache("first_and_last_days", FirstAndLast, fresh=2.0)


@dataclass(frozen=True, slots=True)
class Month:
    """A month of deals, and the player's ranked attempts by deal id."""

    calendar: CalendarMonth
    deals: Mapping[date, Mapping[str, int]]
    """Ids of each day's deals, by variant."""
    attempts: Mapping[int, Attempt]

    @classmethod
    def read(cls, calendar: CalendarMonth, player: int | None) -> Month:
        """Read a month, with the player's attempts."""
        deals = months.get(str(calendar.first), lambda: _deals_of(calendar))
        attempts = ranked_attempts(player).filter(deal__day__gte=calendar.first, deal__day__lt=calendar.end)
        return cls(calendar, deals, {attempt.deal_id: attempt for attempt in attempts})

    def weeks(self, today: date, chosen: date | None) -> list[list[CalendarDay | None]]:
        """Return whole weeks from Monday; None marks a day of another month."""
        return [
            [self._day(day, today, chosen) if day.month == self.calendar.first.month else None for day in week]
            for week in self.calendar.weeks
        ]

    def _day(self, day: date, today: date, chosen: date | None) -> CalendarDay:
        deals = self.deals.get(day, {})
        marks = tuple(
            _mark(self.attempts.get(deals[name]), ahead=day > today) if name in deals else "none" for name in CATALOGUE
        )
        return CalendarDay(day, marks, is_today=day == today, is_chosen=day == chosen)


@require_safe
@never_cache
@cache_for_anonymous(2.0)
@from_replica("archive")
def archive(request: HttpRequest, month: date | None = None, day: date | None = None) -> HttpResponse:
    """Show a month, with the deals of `day`; by default this month and today."""
    now = timezone.now()
    today = now.date()
    if month is None:
        day = day or today
        month = day.replace(day=1)
    ends = first_and_last_days.get("", _ends)
    calendar = CalendarMonth(month, ends["first"], ends["last"])
    shown = Month.read(calendar, player_id(request))
    has_page = bool(shown.deals) if day is None else day in shown.deals or day == today
    if not has_page:
        raise Http404
    tiles = [] if day is None else _tiles(day, shown.attempts, now)
    context = {
        "month": calendar,
        "weeks": shown.weeks(today, day),
        "today": today,
        "chosen": day,
        "ahead": day is not None and day > today,
        "tiles": tiles,
        "is_first_day": not ends["first"] or ends["first"] >= today,
        "is_revealed": bool(tiles) and all(tile.deal.is_revealed for tile in tiles),
        **_score(shown.attempts.values()),
    }
    return render(request, "games/archive.html", context)


def _deals_of(month: CalendarMonth) -> dict[date, dict[str, int]]:
    dealt = Deal.objects.filter(day__gte=month.first, day__lt=month.end, variant__in=CATALOGUE)
    deals: dict[date, dict[str, int]] = {}
    for day, variant, pk in dealt.order_by("day").values_list("day", "variant", "pk"):
        assert day is not None
        deals.setdefault(day, {})[variant] = pk
    return deals


def _ends() -> FirstAndLast:
    days = Deal.objects.filter(day__isnull=False).aggregate(first=Min("day"), last=Max("day"))
    return {"first": days["first"], "last": days["last"]}


def _score(attempts: Collection[Attempt]) -> dict[str, int]:
    marks = [mark_of(attempt) for attempt in attempts]
    return {"played": sum(map(is_played, marks)), "won": marks.count("won")}


def _mark(attempt: Attempt | None, *, ahead: bool) -> str:
    if attempt is None and ahead:
        return "sealed"
    mark = mark_of(attempt)
    return "lost" if mark == "review" else mark


def _tiles(day: date, attempts: Mapping[int, Attempt], now: datetime) -> list[DealTile]:
    deals = {deal.variant: deal for deal in Deal.objects.filter(day=day, variant__in=CATALOGUE).defer("solution")}
    return [DealTile.of(deals[name], attempts.get(deals[name].pk), now) for name in CATALOGUE if name in deals]
