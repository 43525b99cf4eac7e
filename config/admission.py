"""Admission: while a process has as much to do as it can, newcomers wait in a fair, visible queue.

Whoever has a pass goes on as ever, and so does all that belongs to a game in play: sockets, the table's page, its
restart and questions. Everybody else gets a ticket and sees their place (`config.line`); it is answered on the event
loop, before Django has to do anything, so that a thousand who wait cost next to nothing. Once nobody waits and the
process has time, nothing here does anything at all.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, ngettext

from config.line import FRONT, Line, pause_at
from config.pace import Pace
from config.pressure import Pressure, Pulse
from config.strangers import Copies, Visit
from games import metrics
from games.admission import COOKIE, Pass, Ticket, cookie_of, read
from games.errors import A_MINUTE, ErrorCode, Refusal
from games.races.models import CODE_LENGTH, CODE_LETTERS

PAGE: Final = "/queue/"
"""The page of those who wait (`games.pages.queue`), which is sent in the place of another."""
ADDRESS: Final = "/queue.json"
"""Where that page asks."""

#: Seconds for which a copy of the page serves everybody.
PAGE_KEPT: Final = 60.0

#: Pages that are always served: of games in play, of the staff, of probes, and those inside other sites' pages.
_ALWAYS: Final = re.compile(r"/(table|admin|offline|static)/|/(healthz|readyz|metrics)$|/replay/[^/]+/embed/$")
#: Steps of signing in that another site or the step before leads to, and that are void a few minutes later.
_SIGNING_IN: Final = re.compile(r"/accounts/([a-z]+/login/callback|2fa/authenticate|3rdparty/signup)/$")
#: A race's room, whose seats are also taken over its socket: whoever has a session may have one.
_ROOM: Final = re.compile(rf"/races/[{CODE_LETTERS}]{{{CODE_LENGTH}}}/$")
#: How the addresses of forms end that begin a game or take a seat; other forms are always taken.
_BEGINNINGS: Final = ("/start", "/first", "/play-on", "/new", "/quick", "/sit", "/accept")
_API: Final = "/api/"
_READING: Final = {"GET", "HEAD"}
#: Where the page has the numbers.
_PLACE_HOLE: Final = b'id="queue-place">'
_WAIT_HOLE: Final = b'id="queue-wait">'
_REFRESH_HOLE: Final = b'http-equiv="refresh" content="'

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class Door(Enum):
    """By which newcomers come, and how those are told who do not get in."""

    PAGE = auto()
    FORM = auto()
    JSON_FORM = auto()
    API = auto()
    ASKING = auto()


def door_of(visit: Visit) -> Door | None:
    """The door that a request comes by; None for what is always served."""
    scope, accepted = visit.scope, visit.headers.get(b"accept", "")
    path, reads = scope["path"], scope["method"] in _READING
    if path == ADDRESS:
        return Door.ASKING
    if path.startswith(_API):
        return None if scope["method"] == "OPTIONS" else Door.API
    if _ALWAYS.match(path) or _SIGNING_IN.match(path):
        return None
    if _ROOM.match(path) and settings.SESSION_COOKIE_NAME in visit.cookies:
        return None
    if reads:
        return Door.PAGE if "text/html" in accepted else None
    if scope["method"] == "POST" and path.endswith(_BEGINNINGS):
        return Door.FORM if "text/html" in accepted else Door.JSON_FORM
    return None


class Admission:
    """Hands on what there is room for, and answers the rest."""

    def __init__(self, application: Application, copies: Copies, pressure: Pressure) -> None:
        self.pressure = pressure
        self.line = Line()
        self.pace = Pace()
        self._application = application
        self._copies = copies
        self._pulse = Pulse(pressure, self._look)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        self._pulse.begin()
        has_room = not (self.pressure.is_full or self.line.is_waited_in)
        if has_room and not self.line and scope["path"] not in {ADDRESS, PAGE}:
            await self._application(scope, receive, send)
            return
        visit = Visit.of(scope)
        door = door_of(visit)
        holding = read(visit.cookies.get(COOKIE, ""))
        if door is Door.ASKING:
            await self._tell(visit, holding, send)
        elif scope["path"] == PAGE:
            await _send(send, 303, [(b"Location", b"/")])
        elif door is None or isinstance(holding, Pass) or (has_room and holding is None) or self._may_read(door, scope):
            await self._application(scope, receive, send)
        elif door is Door.API:
            await self._refuse(send, _ANY_SITE)
        elif isinstance(holding, Ticket) and self._goes_in(holding):
            await self._application(scope, receive, _with_cookie(send, Pass()))
        else:
            await self._queue(visit, door, holding or self._ticket(), (scope, receive, send))

    def _may_read(self, door: Door, scope: Scope) -> bool:
        """Whether a program may read now: it needs no place in the line, only that there is time for it."""
        return door is Door.API and scope["method"] in _READING and not self.pressure.is_full

    def _goes_in(self, ticket: Ticket) -> bool:
        """Whether it is the ticket's turn; its holder is in then."""
        now = time.monotonic()
        if self.line.come_again(ticket, now) >= FRONT or self.pressure.is_full or not self.pace.take():
            return False
        self.line.let_in(ticket, now)
        metrics.NEWCOMERS.labels("let_in").inc()
        return True

    def _ticket(self) -> Ticket:
        metrics.NEWCOMERS.labels("queued").inc()
        return Ticket.new()

    async def _tell(self, visit: Visit, holding: Ticket | Pass | None, send: Send) -> None:
        """Say how it stands, to the page of one who waits."""
        if isinstance(holding, Ticket) and self._goes_in(holding):
            holding = Pass()
        elif holding is None and (self.pressure.is_full or self.line.is_waited_in):
            holding = self._ticket()
        if isinstance(holding, Ticket):
            place = self.line.show(holding, time.monotonic())
            told = {"let_in": False, "place": place, "retry_after": pause_at(place), "wait": self._wait(visit, place)}
        else:
            told = {"let_in": True}
        cookies = _cookies(holding) if holding else []
        await _send(send, 200, [*_JSON, *cookies], json.dumps(told).encode())

    async def _queue(self, visit: Visit, door: Door, ticket: Ticket, asked: tuple[Scope, Receive, Send]) -> None:
        """Show or tell the place of one who waits."""
        place = self.line.show(ticket, time.monotonic())
        send, cookies = asked[2], _cookies(ticket)
        if door is Door.JSON_FORM:
            await self._refuse(send, cookies, place)
        elif door is Door.FORM:
            # The page that the form is on is shown when it is their turn: no clock runs before they begin by hand.
            await _send(send, 303, [(b"Location", _page_before(visit).encode()), *cookies])
        else:
            await self._show(visit, place, cookies, asked)

    async def _show(self, visit: Visit, place: int, cookies: Headers, asked: tuple[Scope, Receive, Send]) -> None:
        scope = {**visit.scope, "method": "GET", "path": PAGE, "raw_path": PAGE.encode(), "query_string": b""}
        own = Visit.of(scope)
        copy = await self._copies.get(own, PAGE_KEPT)
        if copy is None:  # a host that is not ours, or a redirect to HTTPS: Django says so
            await self._application(*asked)
            return
        heads, holes = copy.for_visitor(own)
        pause = pause_at(place)
        body = copy.page.plain(holes)
        body = body.replace(_PLACE_HOLE, _PLACE_HOLE + str(place).encode())
        body = body.replace(_WAIT_HOLE, _WAIT_HOLE + self._wait(visit, place).encode())
        body = body.replace(_REFRESH_HOLE, _REFRESH_HOLE + str(pause).encode())
        heads += [(b"Retry-After", str(pause).encode()), *cookies]
        await _send(asked[2], 503, heads, body, with_body=visit.scope["method"] != "HEAD")

    async def _refuse(self, send: Send, heads: Headers, place: int = 0) -> None:
        """Tell a program to come again; one that keeps cookies has a place."""
        metrics.NEWCOMERS.labels("refused").inc()
        pause = pause_at(place or len(self.line) + 1)
        refusal = Refusal(ErrorCode.SERVER_FULL, retry_after=pause, **({"place": place} if place else {}))
        with translation.override("en-gb"):
            body = json.dumps(refusal.to_json()).encode()
        heads = [*_JSON, (b"Retry-After", str(pause).encode()), *heads]
        await _send(send, refusal.code.status, heads, body)

    def _wait(self, visit: Visit, place: int) -> str:
        """How long it will take, in words."""
        seconds = self.line.seconds_at(place)
        with translation.override(visit.language):
            if seconds is None:
                return gettext("Nobody can tell yet how long it takes.")
            if seconds < A_MINUTE:
                return gettext("It takes less than a minute.")
            minutes = round(seconds / A_MINUTE)
            return ngettext("It takes about %(minutes)d minute.", "It takes about %(minutes)d minutes.", minutes) % {
                "minutes": minutes
            }

    def _look(self, elapsed: float) -> None:
        """So many seconds after the last time: who may go in, and who waits."""
        self.pace.note(is_full=self.pressure.is_full, elapsed=elapsed)
        self.line.forget_absent(time.monotonic())
        metrics.NEWCOMERS_WAITING.set(len(self.line))


_JSON: Final = [
    (b"Content-Type", b"application/json"),
    (b"Cache-Control", b"no-store"),
    (b"X-Content-Type-Options", b"nosniff"),
]
#: As the API's answers have it: any site may read them.
_ANY_SITE: Final[Headers] = [(b"Access-Control-Allow-Origin", b"*"), (b"Access-Control-Expose-Headers", b"Retry-After")]


def _page_before(visit: Visit) -> str:
    """The page of this site that a form was sent from; the home page if that is not told, or not by a browser."""
    try:
        referer = urlsplit(visit.headers.get(b"referer", ""))
    except ValueError:
        return "/"
    is_ours = referer.netloc == visit.headers.get(b"host")
    page = f"{referer.path}?{referer.query}" if referer.query else referer.path
    return page if is_ours and re.match(r"/(?![/\\])", page) and page.isascii() else "/"


def _cookies(holding: Ticket | Pass) -> Headers:
    return [(b"Set-Cookie", morsel.OutputString().encode("latin1")) for morsel in cookie_of(holding).values()]


def _with_cookie(send: Send, holding: Ticket | Pass) -> Send:
    async def with_cookie(message: Any) -> None:  # noqa: ANN401 - ASGI's
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*map(_for_one, message["headers"]), *_cookies(holding)]}
        await send(message)

    return with_cookie


def _for_one(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The header for an answer with a cookie: caches on the way must not hand that to others."""
    name, value = header
    return (name, value.replace(b"public", b"private")) if name.lower() == b"cache-control" else header


async def _send(send: Send, status: int, heads: Headers, body: bytes = b"", *, with_body: bool = True) -> None:
    heads = [*heads, (b"Content-Length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": heads})
    await send({"type": "http.response.body", "body": body if with_body else b""})
