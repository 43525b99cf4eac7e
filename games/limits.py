"""How often one player or address may do what costs the service something: the one limiter of requests.

Sign-in, sign-up and the like are limited by allauth (`ACCOUNT_RATE_LIMITS`), messages on a WebSocket in the process
(`games.live.allowance`). Fixed windows are counted in the cache by django-ratelimit. Losing the cache gives everybody
a fresh start and nothing worse; while it is away each process counts by itself (`config.caches`).
"""

from __future__ import annotations

from typing import Final, Literal

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from games.addresses import network_of
from games.errors import RateLimitedError

Action = Literal[
    "api", "ask", "delete", "export", "follow", "guest", "preferences", "rename", "replay", "start", "verify"
]

#: Requests a window: of a player, or of an address where nobody is signed in.
RATES: Final[dict[Action, str]] = {
    "api": "300/m",
    "ask": "20/m",
    "delete": "10/h",
    "export": "10/h",
    "follow": "60/m",
    "guest": "60/10m",
    "preferences": "60/m",
    "rename": "5/h",
    "replay": "120/m",
    "start": "60/m",
    "verify": "30/m",
}


def spend(request: HttpRequest, action: Action) -> None:
    """Count one `action` of the request's player or address. Comes before the work that it limits.

    :raises RateLimitedError: when there have been too many.
    """
    who = f"player:{request.user.pk}" if request.user.is_authenticated else network_of(request)
    usage = get_usage(request, group=f"talon.{action}", key=lambda *_: who, rate=RATES[action], increment=True)
    if usage and usage["should_limit"]:
        raise RateLimitedError(max(1, usage["time_left"]))
