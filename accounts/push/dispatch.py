"""Push dispatch: claims due reminders, addresses messages to a player's browsers, and sends them in parallel.

A reminder is rescheduled before it is sent (at-most-once delivery): if a task dies or runs twice, a player may miss a
reminder, but never gets two.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeVar

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation

from accounts.models import DailyReminder, PushDevice, RaceReminder, User
from accounts.preferences import preferences_of
from accounts.push import devices, vapid_key
from accounts.push.delivery import DeliveryOutcome, Message

log = logging.getLogger(__name__)

Send = Callable[[Message], DeliveryOutcome]
Clock = Callable[[], datetime]
Reminder = TypeVar("Reminder", DailyReminder, RaceReminder)
Plan = Callable[[Reminder, list[PushDevice], datetime], tuple[dict[str, Any], Iterable[Message]]]
"""Return the fields that reschedule a due reminder, `due_at` among them, and the messages to send to these devices."""

#: Players per batch, and seconds during which new batches are started.
_BATCH: Final = 8
_SECONDS: Final = 5.0
#: Messages sent in parallel, and timeout for a whole batch, in seconds.
_THREADS: Final = 16
_PATIENCE: Final = 6.0


@dataclass(frozen=True, slots=True)
class Notification:
    """Notification as the service worker shows it (js/worker.js); a click opens `path`.

    Of `days`, titles with the times in ms at which they close, it shows the first that is open, with `until` and that
    time in the reader's zone.
    """

    title: str
    body: str
    path: str
    days: tuple[tuple[str, int], ...] = ()
    until: str = ""


def send_due(reminders: QuerySet[Reminder], plan: Plan[Reminder], send: Send, clock: Clock) -> int:
    """Send due reminders for some seconds; return the number of browsers that accepted a message."""
    if not vapid_key.is_on():
        return 0
    accepted, latest = 0, time.monotonic() + _SECONDS
    while time.monotonic() < latest:
        now = clock()
        batch = list(reminders.filter(due_at__lte=now).order_by("due_at").select_related("player")[:_BATCH])
        if not batch:
            break
        accepted += send_all([message for reminder in batch for message in _claimed(reminder, plan, now)], send)
    return accepted


def addressed(
    player: User,
    found: Iterable[PushDevice],
    write: Callable[[], Notification],
    *,
    seconds: int,
    topic: str,
    urgency: Literal["normal", "high"] = "normal",
) -> Iterator[Message]:
    """Yield the messages that show a notification in the player's browsers, written in the language of each."""
    chosen = str(preferences_of(player.preferences)["language"])
    for device in found:
        language = chosen if chosen in dict(settings.LANGUAGES) else device.language
        with translation.override(language):
            shown = {name: value for name, value in asdict(write()).items() if value}
            payload = {**shown, "topic": topic, "lang": language}
        yield Message(device, json.dumps(payload, ensure_ascii=False).encode(), seconds, topic, urgency)


def send_all(messages: Sequence[Message], send: Send) -> int:
    """Send the messages in parallel, without waiting for a service that hangs. Expired devices are deleted.

    Return the number of messages accepted.
    """
    if not messages:
        return 0
    pool = ThreadPoolExecutor(_THREADS)
    sent = {pool.submit(send, message): message.to.pk for message in messages}
    done = wait(sent, timeout=_PATIENCE).done
    pool.shutdown(wait=False, cancel_futures=True)
    outcomes = {sent[future]: _outcome(future) for future in done}
    expired = [device for device, outcome in outcomes.items() if outcome is DeliveryOutcome.GONE]
    PushDevice.objects.filter(pk__in=expired).delete()
    log.info("pushed", extra={"asked": len(messages), "answered": len(outcomes), "gone": len(expired)})
    return sum(outcome is DeliveryOutcome.TAKEN for outcome in outcomes.values())


def _claimed(reminder: Reminder, plan: Plan[Reminder], now: datetime) -> Iterator[Message]:
    """Reschedule a reminder and yield the messages to send, unless another process was first."""
    mine = type(reminder).objects.filter(pk=reminder.pk, due_at=reminder.due_at)
    found = list(devices.live_devices(reminder.player_id))
    if not found and not PushDevice.objects.filter(player=reminder.player_id).exists():
        mine.delete()
        return
    changes, messages = plan(reminder, found, now)
    if mine.update(**changes):
        yield from messages


def _outcome(sending: Future[DeliveryOutcome]) -> DeliveryOutcome:
    """Return the outcome of a message; an unexpected error with one does not stop the others."""
    if (fault := sending.exception()) is not None:
        log.error("a message could not be sent", exc_info=fault)
        return DeliveryOutcome.FAILED
    return sending.result()
