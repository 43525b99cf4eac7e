"""Admission cookie: a signed ticket for a queued client, or a pass for an admitted one (`config.admission`).

The cookie keeps admission stateless: any process can verify it and none stores it. A ticket holds the client's arrival
time. A pass says that the client was admitted, has a running game or has a seat in a race. Both are signed for one
client (its session or, before it has one, its network), so a copied cookie is useless to another client.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Self

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from games.core.addresses import network_of

COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_admission"
#: Lifetime of a ticket or pass.
MAX_AGE: Final = timedelta(hours=1)

_IN: Final = "in"
_WAITING: Final = "waiting"


def _name() -> str:
    return secrets.token_urlsafe(9)


@dataclass(frozen=True, slots=True, order=True)
class Ticket:
    """Place in the queue: arrival time (ns since 1970) and a random name. Earlier tickets sort first."""

    arrived: int
    name: str

    @classmethod
    def new(cls) -> Self:
        """Return a ticket for a client that arrives now."""
        return cls(time.time_ns(), _name())


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
