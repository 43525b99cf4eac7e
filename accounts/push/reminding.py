"""Who is reminded of the day's deals, and when: once a day, at the hour chosen, unless one of them was begun already.

A reminder moves on to the next day before it is sent. So a task that dies or runs twice may cost somebody a reminder,
but nobody gets two.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.calendar import streak_line
from accounts.models import DailyReminder, PushDevice, User
from accounts.preferences import preferences_of
from accounts.push import devices, keys
from accounts.push.devices import Subscription
from accounts.push.sending import Message, Outcome, send
from accounts.winning import current_streak
from games.models import Attempt

log = logging.getLogger(__name__)

Send = Callable[[Message], Outcome]

#: Players at a time, and seconds for which new ones are taken.
_BATCH: Final = 8
_SECONDS: Final = 5.0
#: Messages on their way at once, and seconds for all of a batch.
_THREADS: Final = 16
_PATIENCE: Final = 6.0
#: A reminder that is later than this waits for the next day.
_LATEST: Final = timedelta(hours=2)
_DAY: Final = timedelta(days=1)
_A_MINUTE: Final = 60


def choose(player: User, hour: int, zone: str, now: datetime | None = None) -> None:
    """Remind the player at this hour of this time zone.

    :raises ValueError: when there is no such hour or zone.
    """
    if hour not in range(24) or _zone(zone) is None:
        raise ValueError("no such time")
    told_at = DailyReminder.objects.filter(player=player).values_list("told_at", flat=True).first()
    due_at = next_due(hour, zone, now or timezone.now(), told_at)
    DailyReminder.objects.update_or_create(player=player, defaults={"hour": hour, "zone": zone, "due_at": due_at})


def next_due(hour: int, zone: str, now: datetime, told_at: datetime | None) -> datetime:
    """When it is next the hour in the zone, on a later day there than that of the last reminder."""
    local = _zone(zone) or UTC  # a zone that was known once may be known no more
    day = now.astimezone(local).date()
    if told_at is not None:
        day = max(day, told_at.astimezone(local).date() + _DAY)
    due = datetime.combine(day, time_of_day(hour), local).astimezone(UTC)
    return due if due > now else datetime.combine(day + _DAY, time_of_day(hour), local).astimezone(UTC)


def remind_due(send: Send = send, clock: Callable[[], datetime] = timezone.now) -> int:
    """Remind the players whose time has come, for some seconds; returns how many browsers took a message."""
    if not keys.is_on():
        return 0
    taken, latest = 0, time.monotonic() + _SECONDS
    while time.monotonic() < latest:
        now = clock()
        due = DailyReminder.objects.filter(due_at__lte=now).order_by("due_at").select_related("player")[:_BATCH]
        batch = list(due)
        if not batch:
            break
        messages = {device: message for reminder in batch for device, message in _claimed(reminder, now)}
        taken += _send_all(messages, send)
    return taken


def _claimed(reminder: DailyReminder, now: datetime) -> Iterator[tuple[int, Message]]:
    """Move a reminder on; what is to be sent, by the device, unless another process was first."""
    player = reminder.player
    found = list(devices.live_devices(player.pk))
    mine = DailyReminder.objects.filter(pk=reminder.pk, due_at=reminder.due_at)
    if not found and not PushDevice.objects.filter(player=player).exists():
        mine.delete()
        return
    in_time = bool(found) and now - reminder.due_at <= _LATEST
    wanted = in_time and not _is_told(reminder, now) and not _has_begun(player, now)
    told_at = now if wanted else reminder.told_at
    due_at = next_due(reminder.hour, reminder.zone, now, told_at)
    if mine.update(due_at=due_at, told_at=told_at) and wanted:
        yield from _messages(player, found, now)


def _is_told(reminder: DailyReminder, now: datetime) -> bool:
    """Whether the day's reminder is out, though it is due: the hour was being changed while it was sent."""
    local = _zone(reminder.zone) or UTC
    return reminder.told_at is not None and reminder.told_at.astimezone(local).date() >= now.astimezone(local).date()


def _has_begun(player: User, now: datetime) -> bool:
    """Whether the player has begun a deal of the day, for a rank."""
    return Attempt.objects.filter(player=player, ranked=True, deal__day=now.astimezone(UTC).date()).exists()


def _messages(player: User, found: Iterable[PushDevice], now: datetime) -> Iterator[tuple[int, Message]]:
    today = now.astimezone(UTC).date()
    streak = current_streak(player.pk, today)
    chosen = str(preferences_of(player.preferences)["language"])
    over = datetime.combine(today + _DAY, time_of_day(), UTC)
    for device in found:
        language = chosen if chosen in dict(settings.LANGUAGES) else device.language
        to = Subscription(device.endpoint, bytes(device.p256dh), bytes(device.auth))
        yield device.pk, Message(to, _content(streak, language), max(_A_MINUTE, int((over - now).total_seconds())))


def _content(streak: int, language: str) -> bytes:
    """What the service worker shows (js/worker.js)."""
    with translation.override(language):
        body = _("The same cards for everybody. New deals every day at 00:00 UTC.")
        if streak:
            body = " ".join((streak_line(streak), _("A win today keeps it going.")))
        told = {"title": _("Talon: nine deals to play"), "body": body, "lang": language}
    return json.dumps(told, ensure_ascii=False).encode()


def _send_all(messages: Mapping[int, Message], send: Send) -> int:
    """Send them at once; a service that hangs holds nobody up. Devices that are gone are forgotten."""
    if not messages:
        return 0
    pool = ThreadPoolExecutor(_THREADS)
    sent = {pool.submit(send, message): device for device, message in messages.items()}
    done = wait(sent, timeout=_PATIENCE).done
    pool.shutdown(wait=False, cancel_futures=True)
    outcomes = {sent[future]: _outcome(future) for future in done}
    gone = [device for device, outcome in outcomes.items() if outcome is Outcome.GONE]
    PushDevice.objects.filter(pk__in=gone).delete()
    log.info("reminded", extra={"asked": len(messages), "answered": len(outcomes), "gone": len(gone)})
    return sum(outcome is Outcome.TAKEN for outcome in outcomes.values())


def _outcome(sending: Future[Outcome]) -> Outcome:
    """What became of a message; a fault with one does not keep the others from being sent."""
    if (fault := sending.exception()) is not None:
        log.error("a reminder could not be sent", exc_info=fault)
        return Outcome.FAILED
    return sending.result()


def _zone(name: str) -> ZoneInfo | None:
    """The zone of this name; None where there is none, or only a folder of zones."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
