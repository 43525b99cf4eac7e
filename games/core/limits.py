"""Rate limits for requests, per player or address.

django-ratelimit counts fixed windows in the cache. Losing the cache only resets the counters; while it is down, each
process counts on its own (`config.backends.caches`). Two limits live elsewhere: allauth limits sign-in, sign-up and the
like (`ACCOUNT_RATE_LIMITS`), and `games.live.sockets.message_limit` limits messages on a WebSocket within the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from games.core.addresses import network_of, shares_of
from games.core.errors import RateLimitedError

#: Requests per window for each action: for a player, and `CROWD` times as many for a network of unknown visitors.
RATES: Final = {
    "analyse": "30/h",
    "answered": "20/d",  # notices of strangers' answers sent to one player
    "api": "300/m",
    "appeal": "20/h",
    "ask": "20/m",
    "challenge": "30/h",
    "challenged": "20/d",  # notices of strangers' challenges sent to one player
    "confirmation": "60/d",  # mails to unconfirmed addresses, by network
    "confirmation_site": "1000/d",
    "delete": "10/h",
    "export": "10/h",
    "follow": "60/m",
    "guest": "100/10m",  # of one network; further ones take turns at this rate
    "hint": "240/m",
    "invited": "30/h",  # notices of accepted invitations sent to one player
    "invited_network": "10/h",  # notices of accepted invitations from one network to one player
    "notify": "6/d",  # notices of strangers' challenges and answers from one network to one player
    "picture": "30/h",
    "play_on": "30/h",
    "preferences": "60/m",
    "preview": "120/m",
    "puzzle": "240/m",
    "rename": "5/h",
    "replay": "120/m",
    "report": "20/h",
    "room": "60/h",
    "search": "60/m",
    "service": "60/10m",
    "spoil": "2/10m",
    "spoil_network": "15/10m",
    "start": "60/m",
    "verify": "30/m",
    "webhook": "30/h",  # results posted for one host
    "webhook_room": "20/h",  # results posted for one room
}
#: Factor on a limit for a network without a signed-in player: a class or a carrier's customers may have one address.
CROWD: Final = 5
_SECONDS: Final = {"m": 60, "h": 3600, "d": 24 * 3600}


Spender = int | str
"""The id of a player, or of a room for its own limits; or a network as `games.core.addresses.network_of` returns it."""


def spend(request: HttpRequest, action: str) -> None:
    """Count one `action` of the request's player or network; call it before the work that it limits.

    :raises RateLimitedError: when there have been too many.
    """
    if request.user.is_authenticated:
        spend_of(request.user.pk, action)
    else:
        _refuse(_usages(network_of(request), action, times=CROWD))


def spend_of(spender: Spender, action: str, *, receiver: int | None = None) -> None:
    """Count one `action` of a player or network, separately for each player who receives it, if any.

    Counting stops at the first key that is refused: a refused request must not use up its wider network's limit.

    :raises RateLimitedError: when there have been too many.
    """
    _refuse(_usages(spender, action, receiver=receiver))


def wait_of(network: str, action: str) -> float:
    """Count one `action` of a network, and return the seconds to wait: beyond the limit, turns come at a steady rate.

    :raises RateLimitedError: if the wait is longer than the limit's window.
    """
    window = RATES[action].partition("/")[2]
    period, wait = int(window[:-1] or 1) * _SECONDS[window[-1]], 0.0
    for usage in filter(None, _usages(network, action)):
        turn = (usage["count"] - usage["limit"]) * period / usage["limit"]
        wait = max(wait, turn - (period - usage["time_left"]))
        if turn > period:
            _refuse([usage])
    return wait


def note_of(spender: Spender, action: str) -> None:
    """Count one `action` without refusing it; `check_of` refuses later ones."""
    list(_usages(spender, action))


def check_of(spender: Spender, action: str) -> None:
    """Check that the limit of an `action` is not used up, without counting.

    :raises RateLimitedError: when there have been too many.
    """
    _refuse(_usages(spender, action, increment=False))


def _usages(
    spender: Spender, action: str, *, increment: bool = True, receiver: int | None = None, times: int = 1
) -> Iterator[dict[str, Any] | None]:
    number, _, window = RATES[action].partition("/")
    shares = {f"player:{spender}": 1} if isinstance(spender, int) else shares_of(spender)
    for share, factor in shares.items():
        key = share if receiver is None else f"{share} to {receiver}"
        rate = f"{int(number) * factor * times}/{window}"
        usage = get_usage(None, group=f"talon.{action}", key=lambda *_, key=key: key, rate=rate, increment=increment)
        yield usage and usage | {"of_network": isinstance(spender, str)}


def _refuse(usages: Iterable[dict[str, Any] | None]) -> None:
    for usage in usages:
        if usage and usage["should_limit"]:
            raise RateLimitedError(max(1, usage["time_left"]), of_network=usage["of_network"])
