"""Reconciler of all races: takes every step that is due and has not been taken.

Each step is idempotent, by compare-and-swap in its own transaction. A step that fails does not stop the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.utils import timezone

from games.attempts.lifecycle import close_safely
from games.models import Attempt
from games.races import finishing, heats, rooms, starting, storms, unseen_deals
from games.races.bots import moves
from games.races.models import HAS_DEAL, Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.room_notifications import notify_room
from games.races.webhooks import room_webhooks

log = logging.getLogger(__name__)

#: Batch size of a step; the rest waits for the next run.
AT_A_TIME: Final = 200

_E: Final = Entrant.State


def reconcile(now: datetime | None = None) -> None:
    """Take every step that is due."""
    now = now or timezone.now()
    for step in STEPS:
        try:
            step(now)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("races not tended", extra={"step": step.__name__})


def _request_deals(_now: datetime) -> None:
    waiting = Race.objects.filter(state=Race.State.OPEN, deal_failed=False).exclude(HAS_DEAL)
    for race_id in waiting.order_by("pk").values_list("pk", flat=True)[:AT_A_TIME]:
        with transaction.atomic():
            race = Race.objects.select_for_update(no_key=True).get(pk=race_id)
            if race.state == Race.State.OPEN:
                unseen_deals.assign_deal(race)


def _convert_states(_now: datetime) -> None:
    """Convert the states of seats that a process of the previous release wrote during an upgrade."""
    waiting = Entrant.objects.filter(race__state__in=rooms.TO_COME, state__in=["joined", "ready"])
    waiting.update(state=_E.SEATED)


def _start_due(now: datetime) -> None:
    """Start races that had to wait for a deal, or for another race."""
    due = Race.objects.filter(
        HAS_DEAL, state=Race.State.OPEN, gathers_until__lte=now, room__kind__in=rooms.HOSTED
    ).order_by("gathers_until")
    for room_id in due.values_list("room", flat=True)[:AT_A_TIME]:
        starting.start_due(room_id, now)


def _move_bots(now: datetime) -> None:
    """Play the moves of bots in rooms that no process shows."""
    moving = Entrant.objects.filter(race__state=Race.State.RACING, state__in=finishing.ACTIVE).exclude(bot="")
    for room_id in moving.values_list("race__room", flat=True).distinct()[:AT_A_TIME]:
        moves.play_due(room_id, now)


def _close_overdue(now: datetime) -> None:
    over = Entrant.objects.filter(
        race__state=Race.State.RACING, race__ends_at__lte=now, attempt__state=Attempt.State.PLAYING
    )
    for attempt_id, ends_at in over.values_list("attempt_id", "race__ends_at")[:AT_A_TIME]:
        assert attempt_id is not None
        close_safely(attempt_id, ends_at)


def _retire_lost(_now: datetime) -> None:
    """Retire entrants whose attempt or storm was deleted with its player."""
    running = Entrant.objects.filter(state__in=finishing.ACTIVE, race__state=Race.State.RACING)
    lost = running.filter(attempt=None, storm=None)
    lost.update(state=_E.RETIRED)


def _free_lost(_now: datetime) -> None:
    """Free the seats of removed players, and give their rooms new hosts."""
    lost = Entrant.objects.filter(player=None, race__state=Race.State.OPEN)
    hostless = Room.objects.filter(closed_at=None, kind__in=rooms.HOSTED, host=None)
    with_others = hostless.filter(races__entrants__state__in=finishing.ACTIVE, races__entrants__player__isnull=False)
    keys = {*lost.values_list("race__room", flat=True), *with_others.values_list("pk", flat=True)}
    for room_id in sorted(keys)[:AT_A_TIME]:
        with transaction.atomic():
            rooms.lock_room(room_id)  # gives it a host
            lost.filter(race__room=room_id).delete()
            notify_room(room_id)


def _follow_closed(_now: datetime) -> None:
    """Update entrants that missed the end of their game."""
    missed = Entrant.objects.filter(
        state__in=finishing.ACTIVE, race__state=Race.State.RACING, attempt__finished_at__isnull=False
    )
    for entrant in missed.select_related("attempt")[:AT_A_TIME]:
        assert entrant.attempt is not None
        finishing.record_closed(entrant.attempt)


def _settle(now: datetime) -> None:
    racing = Race.objects.filter(state=Race.State.RACING).exclude(entrants__state__in=finishing.ACTIVE)
    for race_id in racing.values_list("pk", flat=True)[:AT_A_TIME]:
        finishing.settle_done(race_id, now)


def _finish(now: datetime) -> None:
    """Assign the places of races that have all their verdicts."""
    for race_id in Race.objects.filter(state=Race.State.SETTLING).values_list("pk", flat=True)[:AT_A_TIME]:
        finishing.finish(race_id, now)


#: Ordered so that one run can take a race through several states.
STEPS: Final[tuple[Callable[[datetime], object], ...]] = (
    _convert_states,
    starting.void_overdue,
    _move_bots,
    starting.mark_absent,
    _close_overdue,
    storms.end_due,
    _follow_closed,
    _retire_lost,
    _settle,
    _finish,
    finishing.close_leftover_attempts,
    _free_lost,
    _request_deals,
    _start_due,
    matchmaking.advance_all,
    heats.advance_all,
    room_webhooks.request_lost,
    rooms.close_idle,
)
