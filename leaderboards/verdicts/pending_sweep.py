"""Sweep for attempts without a verdict: the task was lost, or the worker died, possibly because of the record."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.core import events
from games.models import Attempt
from leaderboards.verdicts.settlement import give_up

#: Time after which the task of a pending attempt counts as lost; doubled with each resend.
PATIENCE: Final = timedelta(seconds=60)

#: Number of resends before the attempt goes to review: its record may be killing the workers.
MAX_TRIES: Final = 5

#: Sweeps within this many seconds count as one: they pile up in the queue while no worker is running.
SWEEP_EVERY: Final = 20
_BATCH: Final = 2_000


def sweep(now: datetime | None = None, *, after_outage: bool = False) -> int:
    """Resend the tasks of long-pending attempts, unless a sweep has just run; return the number resent."""
    if not (cache.add("talon.sweep", 1, timeout=SWEEP_EVERY) or after_outage):
        return 0
    return resend_pending(now, after_outage=after_outage)


def resend_pending(now: datetime | None = None, *, after_outage: bool = False) -> int:
    """Resend the tasks of long-pending attempts, oldest first; return the number resent.

    After an outage of the queue, also resend those sent only once, however recently. The number of tries is raised
    before the task is sent, so that it counts even if the task kills its worker.
    """
    now = now or timezone.now()
    pending = Attempt.objects.filter(state=Attempt.State.PENDING)
    hopeless = pending.filter(verify_tries__gte=MAX_TRIES, finished_at__lt=now - PATIENCE * 2**MAX_TRIES)
    for attempt_id in hopeless.values_list("pk", flat=True)[:_BATCH]:
        give_up(attempt_id, f"No verdict after {MAX_TRIES} tries.")
    overdue = Q(verify_tries=0) if after_outage else Q()
    for tries in range(MAX_TRIES):
        overdue |= Q(verify_tries=tries, finished_at__lt=now - PATIENCE * 2**tries)
    ids = list(pending.filter(overdue).order_by("verify_tries", "finished_at").values_list("pk", flat=True)[:_BATCH])
    with transaction.atomic():
        # Skip attempts being settled right now, so that no transaction waits while it holds others.
        free = pending.filter(pk__in=ids).order_by("pk").select_for_update(skip_locked=True, no_key=True)
        ids = list(free.values_list("pk", flat=True))
        Attempt.objects.filter(pk__in=ids).update(verify_tries=F("verify_tries") + 1)
    # If the queue refuses one task, do not try the others.
    return len(list(takewhile(events.request_verdict, ids)))
