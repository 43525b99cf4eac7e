"""Relaxed deals of the day: for each variant a certified practice deal, gentle to fair, that everyone shares.

A relaxed deal is a practice deal in every way but one: it carries its day. So its games are practice, with hints, undo,
pauses and any number of tries, and count on no board. It comes from the stock of sealed deals, like the ranked one.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.db.replicas.router import reading_primary
from games.deals import publishing, sealed_stock
from games.deals import starter_deals as starters
from games.deals.difficulty import FAIR
from games.models import Deal
from games.rules import CATALOGUE

#: Time for which past relaxed deals can be played.
PLAYABLE: Final = timedelta(days=365)


def ensure_relaxed(day: date, *, ahead: int = 1) -> None:
    """Choose the relaxed deals of `day` and the `ahead` days after it, as far as the stock has any."""
    for d in (day + timedelta(days=n) for n in range(ahead + 1)):
        present = set(Deal.objects.filter(relaxed_day=d).values_list("variant", flat=True))
        for variant in CATALOGUE:
            if variant not in present:
                _choose(variant, d)


def todays_relaxed(today: date) -> list[Deal]:
    """Return today's relaxed deals in catalogue order; some may be missing while the stock is short."""
    deals = relaxed_on(today)
    if len(deals) == len(CATALOGUE):
        return deals
    with reading_primary():
        ensure_relaxed(today, ahead=0)
        return relaxed_on(today)


def relaxed_on(day: date) -> list[Deal]:
    """Return the relaxed deals of a day in catalogue order."""
    deals = {deal.variant: deal for deal in Deal.objects.filter(relaxed_day=day).defer("solution")}
    return [deals[variant] for variant in CATALOGUE if variant in deals]


def playable(today: date) -> QuerySet[Deal]:
    """Return the relaxed deals that can be played."""
    return Deal.objects.filter(relaxed_day__gt=today - PLAYABLE, relaxed_day__lte=today)


def _choose(variant: str, day: date) -> None:
    """Take a deal for a day from the stock, or a starter deal; without certified deals on this site, any will do."""
    grade = 1 + (list(CATALOGUE).index(variant) + day.toordinal()) % FAIR
    with suppress(IntegrityError), transaction.atomic():  # another process may choose at the same time
        source = sealed_stock.take(variant, grade, hardest=FAIR) or starters.for_practice(variant, hardest=FAIR)
        if source is not None or not settings.SEALED_STOCK:
            opens_at = datetime.combine(day, time.min, tzinfo=UTC)
            publishing.make_deal(CATALOGUE[variant], source, opens_at=opens_at, relaxed_day=day)
