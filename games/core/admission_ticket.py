"""Admission cookie: a signed ticket for a queued client, or a pass for an admitted one (`config.admission`).

A client queues while a process is full, or as a new guest while its network has too many: its turn is then in the
future.

The cookie keeps admission stateless: any process can verify it and none stores it. A ticket holds the client's arrival
time. A pass says that the client was admitted, has a running game or has a seat in a race. Both are signed for one
client (its session or, before it has one, its network), so a copied cookie is useless to another client.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from datetime import timedelta
from math import ceil
from typing import Final, Self
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme

from games.core import limits
from games.core.addresses import network_of
from games.core.errors import RateLimitedError

PAGE: Final = "/queue/"
"""The page for waiting clients (`games/queue.html`); `?next=` is the page they continue to."""
COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_admission"
#: Lifetime of a ticket or pass.
MAX_AGE: Final = timedelta(hours=1)

_IN: Final = "in"
_WAITING: Final = "waiting"


def _name() -> str:
    return secrets.token_urlsafe(9)


@dataclass(frozen=True, slots=True, order=True)
class Ticket:
    """Place in the queue: arrival time or turn (ns since 1970) and a random name. Earlier tickets sort first."""

    arrived: int
    name: str

    @classmethod
    def new(cls) -> Self:
        """Return a ticket for a client that arrives now."""
        return cls(time.time_ns(), _name())

    @property
    def wait(self) -> float:
        """Seconds until the ticket's turn can come."""
        return max(0.0, self.arrived / 10**9 - time.time())


@dataclass(frozen=True, slots=True)
class Pass:
    """Permission for one client to skip the queue."""

    name: str = field(default_factory=_name)


def identities(session: str | None, network: str) -> list[str]:
    """Return the identities that a client's cookie may be signed for; new cookies are signed for the first."""
    return [*([f"session {session}"] if session else []), f"network {network}"]


def read(value: str, client: list[str]) -> Ticket | Pass | None:
    """Read a cookie; return None if it is forged, damaged, expired or another client's."""
    request = HttpRequest()
    request.COOKIES[COOKIE] = value
    for identity in client:
        if text := request.get_signed_cookie(COOKIE, "", salt=identity, max_age=MAX_AGE):
            kind, *parts = text.split(":")
            return Pass(*parts) if kind == _IN else Ticket(int(parts[0]), parts[1])
    return None


def give_pass(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set a pass cookie for a client that has a running game or is about to start one."""
    set_cookie(response, Pass(), identities(request.session.session_key, network_of(request)))


class QueuedError(RateLimitedError):
    """A network has too many new guests; its holder may try again with this ticket."""

    def __init__(self, ticket: Ticket | Pass, wait: float) -> None:
        super().__init__(max(1, ceil(wait)), of_network=True)
        self.ticket = ticket


def check_may_join(request: HttpRequest) -> None:
    """Count a new guest of the visitor's network, or use up the turn that was reserved for it.

    :raises QueuedError: before its turn.
    :raises RateLimitedError: if too many wait for theirs.
    """
    network, now = network_of(request), time.time()
    held = read(request.COOKIES.get(COOKIE, ""), identities(request.session.session_key, network))
    turn = cache.get(_turn_key(held)) if held else None
    if held is None or turn is None:
        wait = limits.wait_of(network, "guest")
        if wait <= 0:
            return
        turn, held = now + wait, Ticket(round((now + wait) * 10**9), _name())
        cache.set(_turn_key(held), turn, MAX_AGE.total_seconds())
    if now < turn or not cache.delete(_turn_key(held)):
        raise QueuedError(held, turn - now)


def _turn_key(held: Ticket | Pass) -> str:
    return f"talon.turn.{held.name}"


def own_page(address: str, host: str | None = None) -> str:
    """Return the path and query of an address on this site, or the home page for any other address."""
    is_ours = address.isascii() and address.isprintable() and url_has_allowed_host_and_scheme(address, host)
    return urlunsplit(("", "", *urlsplit(address)[2:4], "")) if is_ours else "/"


def to_queue(referer: str, host: str) -> HttpResponse:
    """Redirect a form to the queue's page, from which the player returns to the page with the form.

    So no clock starts without their knowledge.
    """
    return HttpResponse(status=303, headers={"Location": f"{PAGE}?{urlencode({'next': own_page(referer, host)})}"})


def set_cookie(response: HttpResponseBase, ticket: Ticket | Pass, client: list[str]) -> None:
    """Set the cookie for a ticket or pass, signed for the client's first identity."""
    text = f"{_WAITING}:{ticket.arrived}:{ticket.name}" if isinstance(ticket, Ticket) else f"{_IN}:{ticket.name}"
    response.set_signed_cookie(
        COOKIE,
        text,
        salt=client[0],
        max_age=MAX_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def cookie_header(ticket: Ticket | Pass, client: list[str]) -> tuple[bytes, bytes]:
    """Return the ASGI header that sets the cookie for a ticket or pass."""
    response = HttpResponse()
    set_cookie(response, ticket, client)
    return b"Set-Cookie", response.cookies[COOKIE].OutputString().encode("latin1")
