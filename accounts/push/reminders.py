"""Reminder scheduler: once a day, at the hour the player chose, unless the player has already started one of the deals.

A reminder is rescheduled for the next day before it is sent (at-most-once delivery): if a task dies or runs twice, a
player may miss a reminder, but never gets two.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.models import DailyReminder, PushDevice, User
from accounts.preferences import preferences_of
from accounts.profile.calendar_feed import streak_line
from accounts.profile.win_days import current_streaks
from accounts.push import devices, vapid_key
from accounts.push.delivery import DeliveryOutcome, Message, send
from games.deals.todays_game import todays_game
from games.models import Attempt
from games.pages.shared.titles import VARIANT_TITLES

log = logging.getLogger(__name__)

Send = Callable[[Message], DeliveryOutcome]

#: Players per batch, and seconds during which new batches are started.
_BATCH: Final = 8
_SECONDS: Final = 5.0
#: Messages sent in parallel, and timeout for a whole batch, in seconds.
_THREADS: Final = 16
_PATIENCE: Final = 6.0
#: Maximum delay; a later reminder waits for the next day.
_LATEST: Final = timedelta(hours=2)
_DAY: Final = timedelta(days=1)
_A_MINUTE: Final = 60


def choose(player: User, hour: int, zone: str, now: datetime | None = None) -> None:
    """Schedule the player's reminder at this hour of this time zone.

    :raises ValueError: if there is no such hour or zone.
    """
    if hour not in range(24) or _zone(zone) is None:
        raise ValueError("no such time")
    told_at = DailyReminder.objects.filter(player=player).values_list("told_at", flat=True).first()
    due_at = next_due(hour, zone, now or timezone.now(), told_at)
    DailyReminder.objects.update_or_create(player=player, defaults={"hour": hour, "zone": zone, "due_at": due_at})


def next_due(hour: int, zone: str, now: datetime, told_at: datetime | None) -> datetime:
    """Return the next time it is that hour in the zone, on a later day there than the last reminder."""
    local = _zone(zone) or UTC  # a zone can disappear from the database
    day = now.astimezone(local).date()
    if told_at is not None:
        day = max(day, told_at.astimezone(local).date() + _DAY)
    due = datetime.combine(day, time_of_day(hour), local).astimezone(UTC)
    return due if due > now else datetime.combine(day + _DAY, time_of_day(hour), local).astimezone(UTC)


def remind_due(send: Send = send, clock: Callable[[], datetime] = timezone.now) -> int:
    """Send due reminders for some seconds; return the number of browsers that accepted a message."""
    if not vapid_key.is_on():
        return 0
    accepted, latest = 0, time.monotonic() + _SECONDS
    while time.monotonic() < latest:
        now = clock()
        due = DailyReminder.objects.filter(due_at__lte=now).order_by("due_at").select_related("player")[:_BATCH]
        batch = list(due)
        if not batch:
            break
        accepted += _send_all([message for reminder in batch for message in _claimed(reminder, now)], send)
    return accepted


def _claimed(reminder: DailyReminder, now: datetime) -> Iterator[Message]:
    """Reschedule a reminder and yield the messages to send, unless another process was first."""
    player = reminder.player
    found = list(devices.live_devices(player.pk))
    mine = DailyReminder.objects.filter(pk=reminder.pk, due_at=reminder.due_at)
    if not found and not PushDevice.objects.filter(player=player).exists():
        mine.delete()
        return
    in_time = bool(found) and now - reminder.due_at <= _LATEST
    to_send = in_time and not _is_sent(reminder, now) and not _has_started(player, now)
    told_at = now if to_send else reminder.told_at
    due_at = next_due(reminder.hour, reminder.zone, now, told_at)
    if mine.update(due_at=due_at, told_at=told_at) and to_send:
        yield from _messages(player, found, now)


def _is_sent(reminder: DailyReminder, now: datetime) -> bool:
    """Return whether the day's reminder was already sent: the hour was changed while it was being sent."""
    local = _zone(reminder.zone) or UTC
    return reminder.told_at is not None and reminder.told_at.astimezone(local).date() >= now.astimezone(local).date()


def _has_started(player: User, now: datetime) -> bool:
    """Return whether the player has started a deal of the day, for a rank."""
    return Attempt.objects.filter(player=player, ranked=True, deal__day=now.astimezone(UTC).date()).exists()


def _messages(player: User, found: Iterable[PushDevice], now: datetime) -> Iterator[Message]:
    today = now.astimezone(UTC).date()
    streak = current_streaks(player.pk, today).any_game
    chosen = str(preferences_of(player.preferences)["language"])
    over = datetime.combine(today + _DAY, time_of_day(), UTC)
    for device in found:
        language = chosen if chosen in dict(settings.LANGUAGES) else device.language
        yield Message(device, _content(today, streak, language), max(_A_MINUTE, int((over - now).total_seconds())))


def _content(today: date, streak: int, language: str) -> bytes:
    """Build the payload shown by the service worker (js/worker.js)."""
    with translation.override(language):
        body = _("The same cards for everyone. New games every day.")
        if streak:
            body = " ".join((streak_line(streak), _("Win today to keep it going.")))
        title = _("Today's game: %(game)s") % {"game": VARIANT_TITLES[todays_game(today)]}
        payload = {"title": title, "body": body, "lang": language}
    return json.dumps(payload, ensure_ascii=False).encode()


def _send_all(messages: Sequence[Message], send: Send) -> int:
    """Send the messages in parallel, without waiting for a service that hangs. Expired devices are deleted."""
    if not messages:
        return 0
    pool = ThreadPoolExecutor(_THREADS)
    sent = {pool.submit(send, message): message.to.pk for message in messages}
    done = wait(sent, timeout=_PATIENCE).done
    pool.shutdown(wait=False, cancel_futures=True)
    outcomes = {sent[future]: _outcome(future) for future in done}
    expired = [device for device, outcome in outcomes.items() if outcome is DeliveryOutcome.GONE]
    PushDevice.objects.filter(pk__in=expired).delete()
    log.info("reminded", extra={"asked": len(messages), "answered": len(outcomes), "gone": len(expired)})
    return sum(outcome is DeliveryOutcome.TAKEN for outcome in outcomes.values())


def _outcome(sending: Future[DeliveryOutcome]) -> DeliveryOutcome:
    """Return the outcome of a message; an unexpected error with one does not stop the others."""
    if (fault := sending.exception()) is not None:
        log.error("a reminder could not be sent", exc_info=fault)
        return DeliveryOutcome.FAILED
    return sending.result()


def _zone(name: str) -> ZoneInfo | None:
    """Return the zone of this name, or None if there is none, or the name is only a folder of zones."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
