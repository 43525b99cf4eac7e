"""Row retention: deletes expired rows, so that no table grows with time alone.

Each kind of row has a maximum age and a function that deletes one batch in its own transaction. `remove_aged` cycles
through the kinds until nothing is left or its time is up; the rest waits for the next run. Each app's `housekeeping`
module lists its kinds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import Error
from django.db.models import Model, QuerySet
from django.utils import timezone

log = logging.getLogger(__name__)

#: Seconds that `remove_aged` runs: well within the time limit of a task.
SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Aged:
    """Retention rule: rows of one model and their maximum age."""

    model: type[Model]
    description: str
    """The rows and their treatment, worded as in docs/operations.md."""
    age: timedelta
    remove: str | Callable[[datetime, int], int]
    """The field with the rows' time; or a function that handles at most a batch of the rows older than a time, and
    returns their number.
    """
    batch: int = 500

    def remove_batch(self, before: datetime) -> int:
        """Delete one batch of the rows older than `before`, and return their number."""
        if callable(self.remove):
            return self.remove(before, self.batch)
        return rows(QuerySet(self.model).filter(**{f"{self.remove}__lt": before}), self.batch)


def remove_aged(kinds: Sequence[Aged], now: datetime | None = None, *, seconds: float = SECONDS) -> int:
    """Delete expired rows batch by batch and return their number. A kind that fails does not stop the others."""
    now = now or timezone.now()
    latest = time.monotonic() + seconds
    removed, remaining = 0, list(kinds)
    while remaining:
        for kind in tuple(remaining):
            if time.monotonic() >= latest:
                return removed
            try:
                count = kind.remove_batch(now - kind.age)
            except Error:
                log.exception("not deleted: %s", kind.description)
                count = 0
            removed += count
            if not count:
                remaining.remove(kind)
    return removed


def rows(queryset: QuerySet[Any], size: int) -> int:
    """Delete at most `size` rows of a query, with their dependent rows; return the number without the dependents."""
    keys = list(queryset.order_by("pk").values_list("pk", flat=True)[:size])
    _, removed = QuerySet(queryset.model).filter(pk__in=keys).delete()
    return removed.get(queryset.model._meta.label, 0)
