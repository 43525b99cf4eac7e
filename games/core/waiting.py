"""Waiting to play: new guests of a busy network take turns, and newcomers wait while the site is full.

Both wait on the queue's page, which asks again by itself and then returns to the page they came from.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from datetime import timedelta
from math import ceil
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme

from games.core import limits
from games.core.addresses import network_of
from games.core.errors import ErrorCode, RateLimitedError, Refusal
from games.core.table_capacity import tables_are_full

PAGE: Final = "/queue/"
"""The page for waiting newcomers (`games/queue.html`); `?next=` is the page they return to."""
#: Seconds between two requests of that page.
RETRY_AFTER: Final = 5
#: Cookie with a guest's turn, signed for its network: the time (s since 1970) and a random name.
COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_turn"
#: Time within which a turn must be used.
MAX_AGE: Final = timedelta(hours=1)


class SiteFullError(Refusal):
    """The site takes no newcomers at this moment."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.SERVER_FULL, retry_after=RETRY_AFTER)


class NetworkBusyError(RateLimitedError):
    """A network has too many new guests; this one may join when its turn comes."""

    def __init__(self, turn: str) -> None:
        super().__init__(max(1, ceil(_seconds_until(turn))), of_network=True)
        self._turn = turn

    def reserve(self, request: HttpRequest, response: HttpResponseBase) -> None:
        """Give the client a cookie with its turn."""
        response.set_signed_cookie(
            COOKIE,
            self._turn,
            salt=network_of(request),
            max_age=MAX_AGE,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )


def check_may_join(request: HttpRequest) -> None:
    """Count a new guest of the visitor's network, or use up the turn that was reserved for it.

    :raises SiteFullError: while the tables are full.
    :raises NetworkBusyError: before the guest's turn.
    :raises RateLimitedError: if too many wait for theirs.
    """
    if tables_are_full():
        raise SiteFullError
    turn = _turn_of(request)
    if not turn or (_seconds_until(turn) <= 0 and not cache.add(f"talon.turn.{turn}", 1, MAX_AGE.total_seconds())):
        turn = f"{time.time() + limits.wait_of(network_of(request), 'guest')}:{secrets.token_urlsafe(9)}"
    if _seconds_until(turn) > 0:
        raise NetworkBusyError(turn)


def seconds_to_wait(request: HttpRequest) -> float:
    """Return the seconds until the visitor's turn."""
    turn = _turn_of(request)
    return max(0.0, _seconds_until(turn)) if turn else 0.0


def own_page(address: str, host: str | None = None) -> str:
    """Return the path and query of an address on this site, or the home page for any other address."""
    is_ours = address.isascii() and address.isprintable() and url_has_allowed_host_and_scheme(address, host)
    return urlunsplit(("", "", *urlsplit(address)[2:4], "")) if is_ours else "/"


def to_queue(request: HttpRequest) -> HttpResponse:
    """Redirect to the queue's page, which returns to this page, or to the page with the form that was sent.

    A form is not sent again, so no clock starts without the player's knowledge.
    """
    page, host = request.get_full_path(), None
    if request.method == "POST":
        page = request.headers.get("Referer", "")
        with suppress(DisallowedHost):
            host = request.get_host()
    address = f"{PAGE}?{urlencode({'next': own_page(page, host)})}"
    return HttpResponse(status=303, headers={"Location": address})


def _turn_of(request: HttpRequest) -> str:
    return request.get_signed_cookie(COOKIE, "", salt=network_of(request), max_age=MAX_AGE) or ""


def _seconds_until(turn: str) -> float:
    return float(turn.partition(":")[0]) - time.time()
