"""Daily reminders: at the hour the player chose, unless the player has already started one of the day's deals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import DailyReminder, PushDevice, User
from accounts.profile.calendar_feed import streak_line
from accounts.profile.win_days import current_streaks
from accounts.push.delivery import Message, send
from accounts.push.dispatch import Clock, Notification, Send, addressed, send_due
from games.deals.todays_game import todays_game
from games.models import Attempt
from games.presentation.titles import VARIANT_TITLES

#: Maximum delay; a later reminder waits for the next day.
_LATEST: Final = timedelta(hours=2)
_DAY: Final = timedelta(days=1)


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


def stop(player: User) -> None:
    """Cancel the player's daily reminder."""
    DailyReminder.objects.filter(player=player).delete()


def remind_due(send: Send = send, clock: Clock = timezone.now) -> int:
    """Send due reminders for some seconds; return the number of browsers that accepted a message."""
    return send_due(DailyReminder.objects.all(), _plan, send, clock)


def _plan(reminder: DailyReminder, found: list[PushDevice], now: datetime) -> tuple[dict[str, Any], Iterable[Message]]:
    in_time = bool(found) and now - reminder.due_at <= _LATEST
    to_send = in_time and not _is_sent(reminder, now) and not _has_started(reminder.player, now)
    told_at = now if to_send else reminder.told_at
    changes = {"due_at": next_due(reminder.hour, reminder.zone, now, told_at), "told_at": told_at}
    return changes, _messages(reminder.player, found, now) if to_send else ()


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
    seconds = int((_closing(today) - now).total_seconds())  # not delivered later: the game would be over
    yield from addressed(player, found, partial(_notification, today, streak), seconds=seconds, topic="day")


def _notification(today: date, streak: int) -> Notification:
    body = _("The same cards for everyone. New games every day.")
    if streak:
        body = " ".join((streak_line(streak), _("Win today to keep it going.")))
    days = tuple((_title(day), int(_closing(day).timestamp() * 1000)) for day in (today, today + _DAY))
    return Notification(_title(today), body, reverse("games:home"), days, _("Open until {time}."))


def _title(day: date) -> str:
    return _("Today's game: %(game)s") % {"game": VARIANT_TITLES[todays_game(day)]}


def _closing(day: date) -> datetime:
    return datetime.combine(day + _DAY, time_of_day(), UTC)


def _zone(name: str) -> ZoneInfo | None:
    """Return the zone of this name, or None if there is none, or the name is only a folder of zones."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
