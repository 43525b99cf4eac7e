"""Tickets and passes: what a browser shows of itself while a process takes no more newcomers (`config.admission`).

Both are one signed cookie, which any process honours and none has to remember. A ticket says since when its holder has
waited, a pass that its holder has been let in, has a game in play, or has taken a seat in a race.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Final, Self

from django.conf import settings
from django.core import signing
from django.http import HttpResponseBase

COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_admission"
#: A ticket that has not been shown for so long is void: nobody collects tickets for later.
TICKET_KEPT: Final = timedelta(minutes=10)
#: For how long a pass is good.
PASS_KEPT: Final = timedelta(hours=1)

_SALT: Final = "games.admission"
_IN: Final = "in"
_WAITING: Final = "waiting"


@dataclass(frozen=True, slots=True, order=True)
class Ticket:
    """When its holder came (ns since 1970), and a random name that tells it from others; the earlier is the less."""

    arrived: int
    name: str

    @classmethod
    def new(cls) -> Self:
        """For whoever comes now."""
        return cls(time.time_ns(), secrets.token_urlsafe(9))


@dataclass(frozen=True, slots=True)
class Pass:
    """Its holder is in."""


def read(value: str) -> Ticket | Pass | None:
    """What a cookie holds; None for one that is forged, damaged or too old."""
    kind, *parts = _unsigned(value, PASS_KEPT).split(":")
    if kind == _IN:
        return Pass()
    if kind != _WAITING or not _unsigned(value, TICKET_KEPT):
        return None
    arrived, name = parts
    return Ticket(int(arrived), name)


def cookie_of(holding: Ticket | Pass) -> SimpleCookie:
    """The cookie with which a browser keeps a ticket, shown now, or a pass."""
    response = HttpResponseBase()
    _set(response, holding)
    return response.cookies


def give_pass(response: HttpResponseBase) -> None:
    """Have whoever gets this response count as somebody at a table, or on the way there, for a while."""
    _set(response, Pass())


def _set(response: HttpResponseBase, holding: Ticket | Pass) -> None:
    text = f"{_WAITING}:{holding.arrived}:{holding.name}" if isinstance(holding, Ticket) else _IN
    response.set_cookie(
        COOKIE,
        signing.get_cookie_signer(salt=_SALT).sign(text),
        max_age=TICKET_KEPT if isinstance(holding, Ticket) else PASS_KEPT,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _unsigned(value: str, kept: timedelta) -> str:
    """What was signed, within that time; empty for anything else."""
    try:
        return signing.get_cookie_signer(salt=_SALT).unsign(value, max_age=kept)
    except signing.BadSignature:
        return ""
