"""Views of the push switches on the settings page and on that of the race of the day."""

from __future__ import annotations

from http import HTTPMethod

from django.http import HttpRequest, JsonResponse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import PlayerRequest, account_required
from accounts.models import DailyReminder, PushDevice, User
from accounts.profile.calendar_feed import DEFAULT_HOUR, HOURS
from accounts.push import devices, race_reminders, reminders, vapid_key
from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.core.json_body import json_body
from games.races import heats


def shown(request: HttpRequest) -> dict[str, object]:
    """Return the push settings for pages; empty without a key, and for visitors without an account."""
    player = request.user
    if not vapid_key.is_on() or not player.is_authenticated or player.is_guest:
        return {}
    reminder = DailyReminder.objects.filter(player=player).first()
    is_here = devices.is_here(player, request.session)
    race_hours = race_reminders.hours_of(player) if devices.live_devices(player.pk).exists() else ()
    return {
        "key": vapid_key.public_key(),
        "is_here": is_here,
        "hour": reminder.hour if reminder else "" if is_here else DEFAULT_HOUR,
        "hours": HOURS,
        "races": [(hour, f"{hour:02}:00", hour in race_hours) for hour in heats.RACE_OF_THE_DAY],
    }


@never_cache
@require_http_methods(["POST", "DELETE"])
@json_only
@account_required()
def device(request: PlayerRequest) -> JsonResponse:
    """Turn notifications in this browser on (POST) or off (DELETE). Without any browser, reminders end.

    A POST sends `endpoint`, `p256dh` and `auth` of the browser's subscription, and optionally `zone` and `hour` of the
    daily reminder; without an hour (null) it ends.
    """
    limits.spend(request, "preferences")
    if not vapid_key.is_on():
        raise Refusal(ErrorCode.NOT_FOUND)
    if request.method == HTTPMethod.DELETE:
        devices.end_here(request.session)
        others = PushDevice.objects.filter(player=request.user).count()
        if not others:
            reminders.stop(request.user)
            race_reminders.cancel_all(request.user)
        return JsonResponse({"on": False, "others": others})
    try:
        data = json_body(request)
        subscription = devices.subscription_of(data)
        if "hour" in data:
            _set_daily_reminder(request.user, data)
    except ValueError:
        raise Refusal(ErrorCode.BAD_REQUEST) from None
    devices.add(request.user, request.session, subscription, get_language() or "")
    return JsonResponse({"on": True})


@never_cache
@require_http_methods(["POST", "DELETE"])
@json_only
@account_required()
def race(request: PlayerRequest, hour: int) -> JsonResponse:
    """Turn the reminder of the race of the day at this hour (UTC) on (POST) or off (DELETE)."""
    limits.spend(request, "preferences")
    if not vapid_key.is_on() or hour not in heats.RACE_OF_THE_DAY:
        raise Refusal(ErrorCode.NOT_FOUND)
    is_on = request.method == HTTPMethod.POST
    (race_reminders.schedule if is_on else race_reminders.cancel)(request.user, hour)
    return JsonResponse({"on": is_on})


@csrf_exempt  # no session is used: the old endpoint, a secret of the browser, authorises the change
@never_cache
@require_POST
@json_only
def renewed(request: HttpRequest) -> JsonResponse:
    """Replace the expired `old` subscription of a browser; its service worker calls this."""
    limits.spend(request, "preferences")
    if not vapid_key.is_on():
        raise Refusal(ErrorCode.NOT_FOUND)
    try:
        data = json_body(request)
        subscription = devices.subscription_of(data)
        known = devices.renew(str(data.get("old")), subscription)
    except ValueError:
        raise Refusal(ErrorCode.BAD_REQUEST) from None
    if not known:
        raise Refusal(ErrorCode.NOT_FOUND)
    return JsonResponse({"on": True})


def _set_daily_reminder(player: User, data: dict[str, object]) -> None:
    hour = data["hour"]
    if hour is None:
        reminders.stop(player)
    elif type(hour) is int:
        reminders.choose(player, hour, str(data.get("zone")))
    else:
        raise ValueError("no such hour")
