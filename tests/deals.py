"""Deals made without the services that publish them."""

from __future__ import annotations

import secrets
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.utils import timezone

from games.models import Deal
from games.rules import CATALOGUE, RULES_VERSION, commitment


def make_deal(
    variant: str = "plot", day: date | None = None, *, practice: bool = False, seed: bytes | None = None, **fields: Any
) -> Deal:
    """Create the daily deal of ``day``, today's by default, or one for practice that has just opened."""
    seed = seed or secrets.token_bytes(32)
    now = timezone.now()
    opens = now if practice else datetime.combine(day or now.date(), time(), UTC)
    facts: dict[str, Any] = {
        "game": CATALOGUE[variant].game,
        "options": dict(CATALOGUE[variant].options),
        "rules_version": RULES_VERSION,
        "day": None if practice else opens.date(),
        "commitment": commitment(seed),
        "opens_at": opens,
        "closes_at": None if practice else opens + timedelta(days=1),
    }
    return Deal.objects.create(variant=variant, seed=seed, **facts | fields)
