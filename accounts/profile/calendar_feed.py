"""iCalendar feed of daily reminders: an opt-in subscription at a private address, and its settings.

The address carries a signed random key. Renewing the key or turning the calendar off invalidates the old address.
"""

from __future__ import annotations

import uuid
from datetime import datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe
from icalendar import Alarm, Calendar, Event

from accounts.access import PlayerRequest, account_required
from accounts.models import CalendarLink, User
from accounts.preferences import preferences_of
from accounts.profile.win_days import current_streaks
from games.core import limits
from games.core.errors import ErrorCode, Refusal

HOURS: Final = range(24)
DEFAULT_HOUR: Final = 18
_HOURS_AS_SENT: Final = frozenset(map(str, HOURS))
_SALT: Final = "calendar"
_DURATION: Final = timedelta(minutes=15)
#: Refresh interval suggested to calendar programs.
_REFRESH_INTERVAL: Final = timedelta(hours=1)


def shown(player: User) -> dict[str, object]:
    """Return the calendar settings for the settings page; without an address there is no calendar."""
    link = CalendarLink.objects.filter(player=player).first()
    if link is None:
        return {"address": "", "hour": DEFAULT_HOUR, "hours": HOURS}
    return {"address": address_of(link), "hour": link.hour, "hours": HOURS}


def address_of(link: CalendarLink) -> str:
    """Return the URL at which calendar programs subscribe."""
    token = signing.Signer(salt=_SALT).sign(link.key.hex)
    return settings.PUBLIC_URL + reverse("players:calendar_feed", args=[token])


@require_POST
@account_required(back="players:settings")
def change(request: PlayerRequest) -> HttpResponse:
    """Create the calendar or set its hour (`do=set`), renew its address (`do=renew`), or turn it off (`do=stop`)."""
    limits.spend(request, "preferences")
    action, hour = request.POST.get("do"), request.POST.get("hour", "")
    if action not in {"set", "renew", "stop"} or hour not in _HOURS_AS_SENT:
        raise Refusal(ErrorCode.BAD_REQUEST, "There is no such calendar setting.")
    if action == "stop":
        CalendarLink.objects.filter(player=request.user).delete()
        messages.success(request, _("The calendar is off."))
    else:
        fields: dict[str, object] = {"hour": int(hour), **({"key": uuid.uuid4()} if action == "renew" else {})}
        CalendarLink.objects.update_or_create(player=request.user, defaults=fields)
        messages.success(request, _("Settings saved."))
    return redirect(reverse("players:settings") + "#reminders")


@require_safe
def feed(request: HttpRequest, token: str) -> HttpResponse:
    """Serve the calendar in the player's preferred language, or else in the language of the request."""
    limits.spend(request, "api")
    link = _link(token)
    chosen = str(preferences_of(link.player.preferences)["language"])
    with translation.override(chosen if chosen in dict(settings.LANGUAGES) else translation.get_language()):
        body = _calendar(link, timezone.now()).to_ical()
    headers = {"Cache-Control": "private, max-age=900", "X-Robots-Tag": "noindex"}
    return HttpResponse(body, content_type="text/calendar; charset=utf-8", headers=headers)


def _link(token: str) -> CalendarLink:
    """Return the calendar link for a token.

    :raises Http404: if the token is invalid or revoked, or its player may not sign in.
    """
    try:
        key = uuid.UUID(hex=signing.Signer(salt=_SALT).unsign(token))
    except (signing.BadSignature, ValueError):
        raise Http404 from None
    link = CalendarLink.objects.select_related("player").filter(key=key, player__is_active=True).first()
    if link is None:
        raise Http404
    return link


def _calendar(link: CalendarLink, now: datetime) -> Calendar:
    calendar = Calendar()
    calendar.add("prodid", "-//Talon//Reminders//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("Talon: daily games"))
    calendar.add("refresh-interval", _REFRESH_INTERVAL, parameters={"VALUE": "DURATION"})
    event, alarm = Event(), Alarm()
    # A floating time, without a time zone: each reader sees the hour in local time, summer and winter.
    starts = datetime.combine(link.made_at.date(), time(link.hour))
    event.add("uid", f"{link.key.hex}@{settings.SITE_DOMAIN}")
    event.add("dtstamp", now)
    event.add("dtstart", starts)
    event.add("dtend", starts + _DURATION)
    event.add("rrule", {"freq": "daily"})
    event.add("summary", _("Talon: nine games to play"))
    event.add("description", _in_words(current_streaks(link.player_id, now.date()).any_game))
    event.add("url", settings.PUBLIC_URL + "/")
    event.add("transp", "TRANSPARENT")
    alarm.add("action", "DISPLAY")
    alarm.add("description", _("Talon: nine games to play"))
    alarm.add("trigger", timedelta(0))
    event.add_component(alarm)
    calendar.add_component(event)
    return calendar


def streak_line(streak: int) -> str:
    """Return the line about the streak that all reminders share."""
    return ngettext("Your streak: %(n)s day.", "Your streak: %(n)s days.", streak) % {"n": streak}


def _in_words(streak: int) -> str:
    lines = [_("The same cards for everyone. New games every day.")]
    if streak:
        lines.append(streak_line(streak))
    return "\n".join([*lines, settings.PUBLIC_URL + "/"])
