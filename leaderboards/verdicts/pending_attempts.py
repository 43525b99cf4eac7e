"""Batch reads of pending attempts with their deals, for judging.

A task gathers other pending attempts, so that under load many share one transaction. Each attempt is gathered at most
once: if it kills that worker, from then on it can only kill its own task.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from games.models import Attempt


def read_with_others(attempt_id: int, limit: int) -> tuple[Attempt | None, list[Attempt]]:
    """Read an attempt, and up to `limit` other pending ones that have not been gathered before."""
    gathered = _gather(attempt_id, limit) if limit else []
    found = _with_deals().in_bulk([attempt_id, *gathered])
    return found.get(attempt_id), [found[other] for other in gathered if other in found]


def _gather(attempt_id: int, limit: int) -> list[int]:
    """Mark other pending attempts as gathered, oldest first, and return their ids."""
    waiting = Attempt.objects.filter(state=Attempt.State.PENDING, gathered=False).exclude(pk=attempt_id)
    with transaction.atomic():
        free = waiting.order_by("finished_at", "pk").select_for_update(skip_locked=True, no_key=True)
        ids = list(free.values_list("pk", flat=True)[:limit])
        if ids:
            Attempt.objects.filter(pk__in=ids).update(gathered=True)
    return ids


def _with_deals() -> QuerySet[Attempt]:
    return Attempt.objects.select_related("deal").defer("decisions_digest", "deal__solution")
