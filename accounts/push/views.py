"""Views of the push reminder switch on the settings page."""

from __future__ import annotations

from http import HTTPMethod

from django.http import HttpRequest, JsonResponse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import PlayerRequest, account_required
from accounts.models import DailyReminder
from accounts.profile.calendar_feed import DEFAULT_HOUR, HOURS
from accounts.push import devices, reminders, vapid_key
from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.core.json_body import json_body


def shown(request: PlayerRequest) -> dict[str, object]:
    """Return the push settings in this browser for the settings page; empty without a key, and for guests."""
    if not vapid_key.is_on() or request.user.is_guest:
        return {}
    reminder = DailyReminder.objects.filter(player=request.user).first()
    return {
        "key": vapid_key.public_key(),
        "is_here": devices.is_here(request.user, request.session),
        "hour": DEFAULT_HOUR if reminder is None else reminder.hour,
        "hours": HOURS,
    }


@never_cache
@require_http_methods(["POST", "DELETE"])
@json_only
@account_required()
def device(request: PlayerRequest) -> JsonResponse:
    """Turn reminders in this browser on (POST) or off (DELETE).

    A POST sends `endpoint`, `p256dh` and `auth` of the browser's subscription, and `hour` and `zone` of the reminder.
    """
    limits.spend(request, "preferences")
    if not vapid_key.is_on():
        raise Refusal(ErrorCode.NOT_FOUND)
    if request.method == HTTPMethod.DELETE:
        devices.end_here(request.session)
        return JsonResponse({"on": False})
    try:
        data = json_body(request)
        subscription = devices.subscription_of(data)
        reminders.choose(request.user, _hour(data), str(data.get("zone")))
    except ValueError:
        raise Refusal(ErrorCode.BAD_REQUEST) from None
    devices.add(request.user, request.session, subscription, get_language() or "")
    return JsonResponse({"on": True})


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


def _hour(data: dict[str, object]) -> int:
    hour = data.get("hour")
    if type(hour) is not int:
        raise ValueError("no such hour")
    return hour
