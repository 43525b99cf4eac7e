"""Concurrent publishing, on a database with several connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty database.
"""

from __future__ import annotations

from unittest.mock import patch

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.deals import ledger, publishing, sealed_stock
from games.models import Deal, LedgerEntry, SealedDeal
from games.rules import CATALOGUE
from tests.concurrency import run_together
from tests.factories import seal_deal

PUBLISHERS = 3


def race(variant: str) -> bool:
    """Deal a sealed deal of this variant for a race; return False if there is none to spare."""
    with transaction.atomic():
        found = sealed_stock.take_spare(variant)
        return bool(found and publishing.make_deal(CATALOGUE[variant], found, opens_at=timezone.now(), for_race=True))


def publish() -> int:
    """Publish two days, with races before and after, and return the number of races."""
    races = sum(race(variant) for variant in CATALOGUE)
    publishing.ensure_deals(timezone.now().date(), ahead=1)
    return races + sum(race(variant) for variant in CATALOGUE)


def deal_every_sealed_deal_once() -> None:
    for index in range(3):
        for variant in CATALOGUE:
            seal_deal(variant, index)
    raced = run_together(*[publish] * PUBLISHERS)
    daily = Deal.objects.exclude(day=None).count()
    assert not SealedDeal.objects.exists()
    assert Deal.objects.filter(proven=True).count() == 3 * len(CATALOGUE)
    assert all(isinstance(count, int) for count in raced), raced
    assert sum(count for count in raced if isinstance(count, int)) == 3 * len(CATALOGUE) - daily
    assert (LedgerEntry.objects.count(), list(ledger.check())) == (daily, [])


def main() -> None:
    settings.SEALED_STOCK, settings.DEAL_PATIENCE = 1, 900
    with patch.object(sealed_stock, "RESERVED_FOR_DAYS", 0):
        deal_every_sealed_deal_once()
    print("ok", deal_every_sealed_deal_once.__name__)
