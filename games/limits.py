"""Rate limits for requests, per player or address.

django-ratelimit counts fixed windows in the cache. Losing the cache only resets the counters; while it is down, each
process counts on its own (`config.caches`). Two limits live elsewhere: allauth limits sign-in, sign-up and the like
(`ACCOUNT_RATE_LIMITS`), and `games.live.allowance` limits messages on a WebSocket within the process.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from games.addresses import network_of, wide_network_of
from games.errors import RateLimitedError

Action = Literal[
    "analyse",
    "answered",
    "api",
    "appeal",
    "ask",
    "challenge",
    "challenged",
    "delete",
    "export",
    "follow",
    "guest",
    "hint",
    "invited",
    "picture",
    "play_on",
    "preferences",
    "preview",
    "public_room",
    "rename",
    "replay",
    "report",
    "room",
    "search",
    "service",
    "spoil",
    "spoil_network",
    "start",
    "verify",
]

#: Requests per window: for a player, or for an address without a signed-in player.
RATES: Final[dict[Action, str]] = {
    "analyse": "30/h",
    "answered": "20/d",  # notices of strangers' answers sent to one player
    "api": "300/m",
    "appeal": "20/h",
    "ask": "20/m",
    "challenge": "30/h",
    "challenged": "20/d",  # notices of strangers' challenges sent to one player
    "delete": "10/h",
    "export": "10/h",
    "follow": "60/m",
    "guest": "60/10m",
    "hint": "240/m",
    "invited": "30/h",
    "picture": "30/h",
    "play_on": "30/h",
    "preferences": "60/m",
    "preview": "120/m",
    "public_room": "16/h",
    "rename": "5/h",
    "replay": "120/m",
    "report": "20/h",
    "room": "60/h",
    "search": "60/m",
    "service": "60/10m",
    "spoil": "2/10m",
    "spoil_network": "5/10m",
    "start": "60/m",
    "verify": "30/m",
}

#: Factor on the rates for a large IPv6 network as a whole, in addition to the limit for each household in it.
WIDE: Final = 10


def spend(request: HttpRequest, action: Action) -> None:
    """Count one `action` of the request's player or address; call it before the work that it limits.

    :raises RateLimitedError: when there have been too many.
    """
    user = request.user
    if user.is_authenticated:
        _count(f"player:{user.pk}", action, request)
        return
    network, wide = network_of(request), wide_network_of(request)
    _count(network, action, request)
    if wide != network:
        _count(wide, action, request, times=WIDE)


def spend_of(player_id: int, action: Action) -> None:
    """Count one `action` of a player without a request, as on a WebSocket.

    :raises RateLimitedError: when there have been too many.
    """
    _count(f"player:{player_id}", action)


def spend_of_network(network: str, action: Action) -> None:
    """Count one `action` of a network, regardless of signed-in players.

    :raises RateLimitedError: when there have been too many.
    """
    _count(network, action)


def note(who: str, action: Action) -> None:
    """Count one `action` without refusing it; `check` refuses later ones."""
    _usage(who, action)


def check(who: str, action: Action) -> None:
    """Check that the limit of an `action` is not used up, without counting.

    :raises RateLimitedError: when there have been too many.
    """
    _refuse(_usage(who, action, increment=False))


def _count(who: str, action: Action, request: HttpRequest | None = None, times: int = 1) -> None:
    _refuse(_usage(who, action, request, times=times))


def _usage(
    who: str, action: Action, request: HttpRequest | None = None, *, times: int = 1, increment: bool = True
) -> dict[str, Any] | None:
    number, _, window = RATES[action].partition("/")
    rate = f"{int(number) * times}/{window}"
    usage: dict[str, Any] | None = get_usage(
        request, group=f"talon.{action}", key=lambda *_: who, rate=rate, increment=increment
    )
    return usage


def _refuse(usage: dict[str, Any] | None) -> None:
    if usage and usage["should_limit"]:
        raise RateLimitedError(max(1, usage["time_left"]))
