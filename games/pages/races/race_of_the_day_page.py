"""Race of the day: the next start, the last podium, the week's standing, the hall of fame, and a calendar reminder."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe
from icalendar import Alarm, Calendar, Event

from games.races import heats
from games.races.results import heat_standings, race_of_the_day

#: First day of the hall of fame: before it there was no race of the day.
_FIRST_DAY: Final = date(2026, 11, 26)


@require_safe
@never_cache
def daily_race(request: HttpRequest) -> HttpResponse:
    """Show the race of the day."""
    now = timezone.now()
    first, last = heat_standings.span("week", now.date())
    podium, removed = race_of_the_day.last_podium(now)
    context = {
        "now": now,
        "next": race_of_the_day.next_race(now),
        "times": [f"{hour:02}:00" for hour in heats.RACE_OF_THE_DAY],
        "podium": podium,
        "removed": removed,
        "week": heat_standings.standing("week", now.date(), limit=10, starts=heats.races_of_the_day(first, last)),
        "winners": race_of_the_day.winners(now),
        "most_wins": race_of_the_day.most_wins(_FIRST_DAY, now),
    }
    return render(request, "races/race_of_the_day.html", context)


@require_safe
@cache_control(max_age=86_400)
def daily_race_calendar(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Serve a calendar with the race of the day, every day, and an alarm when its doors open."""
    address = settings.PUBLIC_URL + reverse("games:race_of_the_day")
    calendar, event, alarm = Calendar(), Event(), Alarm()
    starts = datetime.combine(_FIRST_DAY, time(heats.RACE_OF_THE_DAY[0]), tzinfo=UTC)
    calendar.add("prodid", "-//Talon//Race of the day//EN")
    calendar.add("version", "2.0")
    event.add("uid", f"race-of-the-day@{settings.SITE_DOMAIN}")
    event.add("dtstamp", starts)
    event.add("dtstart", starts)
    event.add("duration", timedelta(minutes=20))
    event.add("rrule", {"freq": "daily"})
    event.add("summary", _("Talon: race of the day"))
    event.add("url", address)
    alarm.add("action", "DISPLAY")
    alarm.add("description", _("Talon: race of the day"))
    alarm.add("trigger", -heats.DOORS)
    event.add_component(alarm)
    calendar.add_component(event)
    headers = {"Content-Disposition": 'attachment; filename="talon-race.ics"'}
    return HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8", headers=headers)
