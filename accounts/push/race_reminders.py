"""Reminders of the race of the day: sent when the doors open, unless the player is already in that race or another."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from functools import partial
from math import ceil
from typing import Any, Final

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import PushDevice, RaceReminder, User
from accounts.push.delivery import Message, send
from accounts.push.dispatch import Clock, Notification, Send, addressed, send_due
from games.presentation.titles import VARIANT_TITLES
from games.races import heats
from games.races.finishing import ACTIVE
from games.races.models import Entrant, Race

_DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)
_STARTING: Final = (Race.State.COUNTDOWN, Race.State.RACING)


def schedule(player: User, hour: int, now: datetime | None = None) -> None:
    """Schedule the player's reminder of the race of the day at this hour (UTC)."""
    due_at = next_due(hour, now or timezone.now())
    RaceReminder.objects.get_or_create(player=player, hour=hour, defaults={"due_at": due_at})


def cancel(player: User, hour: int) -> None:
    """Cancel the player's reminder of the race at this hour."""
    RaceReminder.objects.filter(player=player, hour=hour).delete()


def cancel_all(player: User) -> None:
    """Cancel all race reminders of the player."""
    RaceReminder.objects.filter(player=player).delete()


def hours_of(player: User) -> set[int]:
    """Return the hours of the races that the player is reminded of."""
    return set(RaceReminder.objects.filter(player=player).values_list("hour", flat=True))


def next_due(hour: int, now: datetime) -> datetime:
    """Return the next time at which the doors to the race at this hour open."""
    doors_at = datetime.combine(now.astimezone(UTC).date(), time(hour), UTC) - heats.DOORS
    return doors_at if doors_at > now else doors_at + _DAY


def remind_due(send: Send = send, clock: Clock = timezone.now) -> int:
    """Send due reminders for some seconds; return the number of browsers that accepted a message."""
    return send_due(RaceReminder.objects.filter(hour__in=heats.RACE_OF_THE_DAY), _plan, send, clock)


def _plan(reminder: RaceReminder, found: list[PushDevice], now: datetime) -> tuple[dict[str, Any], Iterable[Message]]:
    changes = {"due_at": next_due(reminder.hour, now)}
    starts_at = reminder.due_at + heats.DOORS
    seconds = int((starts_at - heats.FROZEN - now).total_seconds())
    if seconds <= 0 or _is_racing(reminder.player_id, starts_at):
        return changes, ()
    write = partial(_notification, starts_at, ceil((starts_at - now) / _MINUTE))
    return changes, addressed(reminder.player, found, write, seconds=seconds, topic="race")


def _is_racing(player_id: int, starts_at: datetime) -> bool:
    """Return whether the player has a seat in this race of the day, or in a race that has begun or is about to."""
    active = Entrant.objects.filter(player=player_id, state__in=ACTIVE)
    return active.filter(Q(race__scheduled_at=starts_at) | Q(race__state__in=_STARTING)).exists()


def _notification(starts_at: datetime, minutes: int) -> Notification:
    title = _("Race of the day: %(title)s") % {"title": VARIANT_TITLES[heats.variant_at(starts_at)]}
    body = ngettext(
        "Starts in %(minutes)s minute. Doors are open.", "Starts in %(minutes)s minutes. Doors are open.", minutes
    )
    return Notification(title, body % {"minutes": minutes}, reverse("games:race_of_the_day"))
