"""Deals created without the publishing services."""

from __future__ import annotations

import secrets
from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

from games.models import Deal
from games.rules import CATALOGUE, RULES_VERSION, commitment


def deal(variant: str, day: date | None) -> Deal:
    """Return the variant's deal of ``day``, or a practice deal if ``day`` is None."""
    seed = secrets.token_bytes(32)
    opens = datetime.combine(day, time(), UTC) if day else timezone.now()
    return Deal.objects.create(
        variant=variant,
        game=CATALOGUE[variant].game,
        options=dict(CATALOGUE[variant].options),
        rules_version=RULES_VERSION,
        day=day,
        seed=seed,
        commitment=commitment(seed),
        opens_at=opens,
        closes_at=opens + timedelta(days=1) if day else None,
    )
