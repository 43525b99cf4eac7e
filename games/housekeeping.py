"""Retention rules for deals, attempts and what belongs to them; see `games.core.retention`."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import Error, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from games.attempts import journal_partitions
from games.attempts.lifecycle import close_attempt
from games.core.retention import Aged, rows
from games.fairplay import account_links, foresight_store
from games.models import (
    GRACE,
    Attempt,
    AwaitedDeal,
    Deal,
    ForesightFigures,
    Move,
    PracticeOrder,
    Presence,
    Question,
    SealedDeal,
    SeenDeal,
    Start,
)
from games.rules import CATALOGUE, RULES_VERSION

#: Attempts whose last move is looked up in one query.
_PAGE: Final = 500

#: Filter for practice attempts. Attempts in races are retained with their races.
_PRACTICE: Final = Q(ranked=False) & ~Q(deal__for_race=True, deadline__isnull=False)

_SEEN: Final = ("id", "started_at", "ms", "paused_ms", "paused_at")

log = logging.getLogger(__name__)


def close_idle_practice(before: datetime, size: int) -> int:
    """Close practice games idle since `before`, folding their journals into records; return their number."""
    closed = 0
    for attempt_id in _idle_practice(before, size):
        try:
            close_attempt(attempt_id, "closed")
            closed += 1
        except (Error, RuntimeError):
            log.exception("practice not closed", extra={"attempt": attempt_id})
    return closed


def _idle_practice(before: datetime, size: int) -> list[int]:
    running = Attempt.objects.filter(_PRACTICE, state=Attempt.State.PLAYING, started_at__lt=before).order_by("id")
    idle: list[int] = []
    last = 0
    while len(idle) < size:
        page = list(running.filter(id__gt=last).annotate(ms=Max("moves__ms")).values_list(*_SEEN)[:_PAGE])
        if not page:
            break
        idle += [key for key, *times in page if _last_seen(*times) < before]
        last = page[-1][0]
    return idle[:size]


def _last_seen(started: datetime, ms: int | None, paused_ms: int, paused_at: datetime | None) -> datetime:
    """Return approximately when a practice game last saw a move, a pause or a resume."""
    return max(started + timedelta(milliseconds=(ms or 0) + paused_ms), paused_at or started)


def _remove_closed_practice(before: datetime, size: int) -> int:
    closed = Attempt.objects.filter(_PRACTICE, end=Attempt.End.CLOSED, finished_at__lt=before)
    return rows(closed, size)


def _remove_unplayed_deals(before: datetime, size: int) -> int:
    return _unplayed(Deal.objects.filter(proven=False), before, size)


def _remove_practice_stock(before: datetime, size: int) -> int:
    return _unplayed(Deal.objects.filter(proven=True), before, size)


def _unplayed(deals: QuerySet[Deal], before: datetime, size: int) -> int:
    unplayed = deals.filter(day=None, relaxed_day=None, for_race=False, created_at__lt=before).exclude(_has_attempts())
    with transaction.atomic():
        # Attempts that start now wait for the lock; the second query sees those that started before it.
        keys = list(unplayed.order_by("pk").values_list("pk", flat=True)[:size])
        locked = list(Deal.objects.select_for_update().filter(pk__in=keys).order_by("pk").values_list("pk", flat=True))
        return rows(unplayed.filter(pk__in=locked), size)


def _has_attempts() -> Exists:
    return Exists(Attempt.objects.filter(deal=OuterRef("pk")))


def _remove_lost_moves(_before: datetime, size: int) -> int:
    lost = Move.objects.exclude(Exists(Attempt.objects.filter(pk=OuterRef("attempt_id"))))
    by_day = journal_partitions.days()
    if by_day:  # newer rows are dropped with their partition, and scanning them is slow
        lost = lost.filter(attempt_id__lt=by_day[0].low)
    keys = sorted(set(lost.values_list("attempt_id", flat=True)[:size]))
    removed, _ = Move.objects.filter(attempt_id__in=keys).delete()
    return removed


def _remove_lost_starts(before: datetime, size: int) -> int:
    return rows(Start.objects.filter(attempt=None, deal__closes_at__lte=before - GRACE), size)


def _remove_seen(before: datetime, size: int) -> int:
    """Delete rows for deals that are no longer secret."""
    revealed = Q(deal__closes_at__lt=before) | Q(deal__revealed_at__lt=before)
    return rows(SeenDeal.objects.filter(revealed, seen_at__lt=before), size)


def _remove_useless_stock(before: datetime, size: int) -> int:
    useless = ~Q(rules_version=RULES_VERSION) | ~Q(variant__in=CATALOGUE)
    return rows(SealedDeal.objects.filter(useless, created_at__lt=before), size)


_DAY: Final = timedelta(days=1)

KINDS: Final = (
    Aged(Attempt, "idle practice games: closed", 30 * _DAY, close_idle_practice, batch=50),
    Aged(Attempt, "practice games closed when idle", 30 * _DAY, _remove_closed_practice, batch=200),
    Aged(
        Move,
        "journal rows of deleted attempts (those in a day's partition are dropped with it)",
        0 * _DAY,
        _remove_lost_moves,
    ),
    Aged(Deal, "practice deals without an attempt", _DAY, _remove_unplayed_deals),
    Aged(Deal, "certified practice deals waiting for a player", 30 * _DAY, _remove_practice_stock),
    Aged(PracticeOrder, "orders for a practice deal", _DAY, "made_at"),
    Aged(SealedDeal, "sealed deals of older rules", 30 * _DAY, _remove_useless_stock),
    Aged(AwaitedDeal, "waiting entries for deals of past days", 2 * _DAY, "day"),
    Aged(Question, "winnability questions with their answers", 7 * _DAY, "asked_at"),
    Aged(Start, "device and network of started daily games", account_links.KEPT, "made_at"),
    Aged(Start, "device and network of deleted players, once the deal is revealed", 0 * _DAY, _remove_lost_starts),
    Aged(SeenDeal, "marks that staff watched a secret deal", 2 * _DAY, _remove_seen),
    Aged(ForesightFigures, "foresight figures of top games", foresight_store.KEPT, "made_at"),
    Aged(Presence, "presence reports of dead processes", timedelta(hours=1), "seen_at"),
)
