"""First-day setup of a new site: certify today's deals, with the grades that the day asks for.

Later the stock is full long before a day needs it, and no players have to wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from games.deals import sealed_stock
from games.deals.difficulty import target_grade
from games.models import Deal
from games.rules import CATALOGUE


@dataclass(frozen=True, slots=True)
class Readiness:
    """Progress: today's missing deals, and how many of them are in stock in any grade and in the wanted one."""

    missing: int
    certified: int
    graded: int

    def __str__(self) -> str:
        return f"{self.certified} of today's {self.missing} deals certified, {self.graded} of the wanted grade"


def certify_today(stop: sealed_stock.Stop) -> Iterator[Readiness]:
    """Seal deals until all of today's can be dealt as planned, or until `stop`; yield the progress after each.

    Every variant gets a certified deal before any gets one with a better grade. Lines are only shortened
    quickly, because the site is waiting. Nothing is published.
    """
    if not settings.SEALED_STOCK:
        return
    while True:
        today, stock = timezone.now().date(), sealed_stock.levels()
        present = set(Deal.objects.filter(day=today).values_list("variant", flat=True))
        missing = [variant for variant in CATALOGUE if variant not in present]
        wanted = {variant: target_grade(variant, today) for variant in missing}
        lacking = [variant for variant, grade in wanted.items() if not stock[variant][grade]]
        variant = min(lacking, key=lambda name: stock[name].total(), default=None)
        if variant is None or stop() or sealed_stock.seal_one(variant, stop=stop, patience=0) is None:
            return
        stock = sealed_stock.levels()
        certified = sum(bool(stock[name].total()) for name in missing)
        yield Readiness(len(missing), certified, sum(bool(stock[name][wanted[name]]) for name in missing))
