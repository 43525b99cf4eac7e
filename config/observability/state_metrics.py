"""Prometheus gauges of the database's state and of this process, read at each scrape.

Counters describe one process; these gauges describe the whole site, so every web process reports the same values.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import Error as DatabaseError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games.analysis.models import Analysis
from games.attempts import journal_partitions
from games.db.shared_cache import SharedCache
from games.deals import sealed_stock
from games.models import Attempt, Deal
from games.races.models import Race
from games.rules import CATALOGUE
from games.rules.version import __version__

#: Days whose deals are counted, as far ahead as they are published.
DAYS: Final = ("today", "tomorrow", "after")

#: States in which players are waiting for a race to start, end or settle.
UNDER_WAY: Final = (Race.State.OPEN, Race.State.COUNTDOWN, Race.State.RACING, Race.State.SETTLING)

log = logging.getLogger(__name__)


class PendingAttempts(NamedTuple):
    """Number of finished attempts without a verdict, and the age of the oldest."""

    attempts: int
    oldest_seconds: float


class StateGauge(NamedTuple):
    """A gauge: one value under an empty key, or several values by `label`."""

    name: str
    description: str
    values: dict[str, float]
    label: str = ""

    @property
    def metric(self) -> Metric:
        """The gauge as a Prometheus metric."""
        family = GaugeMetricFamily(self.name, self.description, labels=[self.label] if self.label else [])
        for key, value in self.values.items():
            family.add_metric([key] if self.label else [], value)
        return family


database_figures: Final = SharedCache("database_figures", list[StateGauge], fresh=10.0)


class StateCollector(Collector):
    """Collector for the reachability of servers and for the database's figures."""

    def __init__(self, checks: Callable[[], Mapping[str, str]]) -> None:
        self._checks = checks

    def collect(self) -> Iterator[Metric]:
        """Yield the reachability of each server, and the database's figures if it answers."""
        yield _gauge_by("talon_build_info", "1, with the version of Talon.", "version", {__version__: 1}).metric
        states = self._checks()
        used = {server: float(state == "ok") for server, state in states.items() if state != "unused"}
        yield _gauge_by("talon_reachable", "1 if the server answers, otherwise 0.", "server", used).metric
        if not used["database"]:
            return
        try:
            found = database_figures.get("", lambda: list(_read(timezone.now())))
        except DatabaseError:
            log.warning("gauges not read", exc_info=True)
            return
        yield from (figure.metric for figure in found)


class Children(Collector):
    """Collector for this process's child processes. Reads /proc, so it yields nothing except on Linux."""

    def collect(self) -> Iterator[Metric]:
        """Yield the number of child processes and their total memory."""
        try:
            sizes = [size for pid in _children() if (size := _resident(pid)) is not None]
        except OSError:
            return
        yield _gauge("talon_worker_children", "Processes started by this worker.", len(sizes)).metric
        yield _gauge(
            "talon_worker_memory_bytes", "Resident memory of those processes, without the worker's own.", sum(sizes)
        ).metric


def standing_registry(checks: Callable[[], Mapping[str, str]]) -> CollectorRegistry:
    """Return the registry of a web process's gauges, which supplement its counters."""
    registry = CollectorRegistry()
    registry.register(StateCollector(checks))
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        ProcessCollector(registry=registry)  # combined metrics omit the process's own
    return registry


def waiting(now: datetime) -> PendingAttempts:
    """Return the backlog of the verdict workers."""
    found = Attempt.objects.filter(state=Attempt.State.PENDING)
    figures = found.aggregate(attempts=Count("pk"), oldest=Min("finished_at"))
    return PendingAttempts(figures["attempts"], _age(now, figures["oldest"]))


def overdue_attempt(now: datetime) -> float:
    """Return the seconds since the deadline of the most overdue attempt."""
    due = Attempt.objects.filter(state=Attempt.State.PLAYING, deadline__lte=now).aggregate(oldest=Min("deadline"))
    return _age(now, due["oldest"])


def _read(now: datetime) -> Iterator[StateGauge]:
    verdicts = waiting(now)
    yield _gauge("talon_verdicts_waiting", "Finished attempts without a verdict.", verdicts.attempts)
    yield _gauge("talon_verdicts_oldest_seconds", "Age of the oldest of them.", verdicts.oldest_seconds)
    yield _gauge(
        "talon_attempts_overdue_seconds", "Time since the deadline of the most overdue attempt.", overdue_attempt(now)
    )
    analyses = Analysis.objects.exclude(state=Analysis.State.DONE).count()
    yield _gauge("talon_analyses_waiting", "Requested analyses that are not finished.", analyses)
    yield _gauge("talon_journal_days", "Days of moves in the journal (PostgreSQL).", len(journal_partitions.days()))
    yield _gauge_by("talon_deals_missing", "Deals of a day not yet published.", "day", missing_deals(now))
    if settings.SEALED_STOCK:
        stock = {variant: level.total() for variant, level in sealed_stock.levels().items()}
        yield _gauge_by("talon_sealed_deals", "Certified deals in stock.", "variant", stock)
    yield _gauge_by("talon_races", "Unfinished races.", "state", _races())
    yield _gauge(
        "talon_race_overdue_seconds", "Time since the most overdue step of a race was due.", _overdue_race(now)
    )


def missing_deals(now: datetime) -> dict[str, int]:
    """Return the number of deals not yet published, by `DAYS`."""
    days = {now.date() + timedelta(days=ahead): name for ahead, name in enumerate(DAYS)}
    found = Deal.objects.filter(day__in=days, variant__in=CATALOGUE).values_list("day").annotate(Count("pk"))
    published = dict(found.order_by())
    return {name: len(CATALOGUE) - published.get(day, 0) for day, name in days.items()}


def _races() -> dict[str, int]:
    found = Race.objects.filter(state__in=UNDER_WAY).values_list("state").annotate(Count("pk")).order_by()
    return dict.fromkeys(map(str, UNDER_WAY), 0) | dict(found)


def _overdue_race(now: datetime) -> float:
    starts = Race.objects.filter(state=Race.State.COUNTDOWN, starts_at__lte=now).aggregate(oldest=Min("starts_at"))
    ends = Race.objects.filter(state=Race.State.RACING, ends_at__lte=now).aggregate(oldest=Min("ends_at"))
    return max(_age(now, starts["oldest"]), _age(now, ends["oldest"]))


def _age(now: datetime, since: datetime | None) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0


def _gauge(name: str, description: str, value: float) -> StateGauge:
    return StateGauge(name, description, {"": value})


def _gauge_by(name: str, description: str, label: str, values: Mapping[str, float]) -> StateGauge:
    return StateGauge(name, description, dict(values), label)


def _children() -> Iterable[int]:
    return [int(pid) for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()]


def _resident(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # it has ended
        return None
