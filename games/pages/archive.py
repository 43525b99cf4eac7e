"""The archive: every day that had deals, a month at a time, and the deals of a chosen day."""

from __future__ import annotations

from calendar import Calendar
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import Max, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.models import Attempt, Deal
from games.pages import tiles
from games.players import player_id
from games.rules import CATALOGUE

_WEEKS: Final = Calendar(firstweekday=0)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar: how the player stands with each of its deals, in catalogue order.

    A mark is `none` (no such deal), `sealed` (of a day to come), `open` (not played), `playing`, `won` or `lost`.
    """

    day: date
    marks: tuple[str, ...]
    is_today: bool
    is_chosen: bool

    @property
    def has_deals(self) -> bool:
        """Whether there is something to choose."""
        return any(mark != "none" for mark in self.marks)

    @property
    def is_ahead(self) -> bool:
        """Whether the day has not begun: all that is known of its deals is that they are fixed."""
        return "sealed" in self.marks

    @property
    def tally(self) -> dict[str, int]:
        """How many deals there are of each mark."""
        return dict(Counter(self.marks))


@require_safe
@never_cache
def archive(request: HttpRequest, month: date | None = None, day: date | None = None) -> HttpResponse:
    """A month of days, and the nine deals of `day`; by default this month and today."""
    now = timezone.now()
    today = now.date()
    if month is None:
        day = day or today
        month = day.replace(day=1)
    following = _next(month)
    dealt = list(
        Deal.objects.filter(day__gte=month, day__lt=following, variant__in=CATALOGUE)
        .only("variant", "day", "opens_at", "closes_at")
        .order_by("day")
    )
    if day != today and not any(day in (None, deal.day) for deal in dealt):
        raise Http404
    mine = _attempts_of_month(player_id(request), month, following)
    days = {d: _day(d, found, mine, today, day) for d, found in _by_day(dealt).items()}
    known = Deal.objects.filter(day__isnull=False).aggregate(first=Min("day"), last=Max("day"))
    context = {
        "month": month,
        "weeks": [
            [days.get(d) or _day(d, [], {}, today, day) if d.month == month.month else None for d in week]
            for week in _WEEKS.monthdatescalendar(month.year, month.month)
        ],
        "weekdays": _WEEKS.monthdatescalendar(month.year, month.month)[0],
        "previous": _previous(month) if known["first"] and known["first"] < month else None,
        "next": following if known["last"] and known["last"] >= following else None,
        "today": today,
        "played": sum(1 for attempt in mine.values() if attempt.is_over),
        "won": sum(1 for attempt in mine.values() if attempt.end == Attempt.End.WON),
        "chosen": day,
        "ahead": day is not None and day > today,
        "cards": [] if day is None else _cards_of(day, mine, now),
    }
    return render(request, "games/archive.html", context)


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _previous(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)


def _attempts_of_month(player: int | None, first: date, following: date) -> dict[int, Attempt]:
    mine = tiles.ranked_attempts(player).filter(deal__day__gte=first, deal__day__lt=following)
    return {attempt.deal_id: attempt for attempt in mine}


def _by_day(dealt: Sequence[Deal]) -> dict[date, list[Deal]]:
    days: dict[date, list[Deal]] = {}
    for deal in dealt:
        assert deal.day is not None
        days.setdefault(deal.day, []).append(deal)
    return days


def _day(day: date, dealt: Sequence[Deal], mine: dict[int, Attempt], today: date, chosen: date | None) -> Day:
    there = {deal.variant: deal for deal in dealt}
    marks = tuple(_mark(mine.get(there[name].pk), ahead=day > today) if name in there else "none" for name in CATALOGUE)
    return Day(day, marks, is_today=day == today, is_chosen=day == chosen)


def _mark(attempt: Attempt | None, *, ahead: bool) -> str:
    if attempt is None:
        return "sealed" if ahead else "open"
    if not attempt.is_over:
        return "playing"
    return "won" if attempt.end == Attempt.End.WON else "lost"


def _cards_of(day: date, mine: dict[int, Attempt], now: datetime) -> list[dict[str, Any]]:
    """The chosen day's deals, each with its seed once that is public."""
    places = {name: place for place, name in enumerate(CATALOGUE)}
    dealt = Deal.objects.filter(day=day, variant__in=places).defer("solution")
    cards = []
    for deal in sorted(dealt, key=lambda deal: places[deal.variant]):
        revealed = deal.is_revealed(now)
        seed = bytes(deal.seed).hex() if revealed else ""
        cards.append(tiles.card(deal, mine.get(deal.pk)) | {"revealed": revealed, "seed": seed})
    return cards
