"""How often one address or player may do what costs the service something.

Sign-in, sign-up and the like are limited by allauth (``ACCOUNT_RATE_LIMITS``); this is for the rest. Fixed windows
counted in the cache by django-ratelimit: losing the cache gives everybody a fresh start and nothing worse.
"""

from __future__ import annotations

from typing import Final, Literal

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django_ratelimit.core import is_ratelimited
from django_ratelimit.exceptions import Ratelimited

Action = Literal["guest", "rename", "follow", "preferences", "export", "delete"]

#: Requests a window, counted by address for guests and by player for the rest.
RATES: Final[dict[Action, str]] = {
    "guest": "60/10m",
    "rename": "5/h",
    "follow": "60/m",
    "preferences": "60/m",
    "export": "10/h",
    "delete": "10/h",
}


def require_allowance(request: HttpRequest, action: Action) -> None:
    """Count one ``action`` of the request's player or address.

    :raises Ratelimited: when there have been too many; answered with 429.
    """
    who = f"player:{request.user.pk}" if request.user.is_authenticated else get_adapter().get_client_ip(request)
    if is_ratelimited(request, group=f"accounts.{action}", key=lambda *_: who, rate=RATES[action], increment=True):
        raise Ratelimited
