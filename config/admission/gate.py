"""Admission gate in front of Django: serves admitted players and queues newcomers while the process is overloaded.

Clients with a pass are served as usual, and so is every request that belongs to a game in progress. Other clients get
a ticket and see their place in the queue. The event loop answers them before Django runs, so a thousand waiting clients
cost next to nothing. Their page uses a long poll, which returns as soon as the ticket's turn comes.
"""

from __future__ import annotations

import asyncio
import re
import time
from enum import Enum
from typing import Any, Final
from urllib.parse import parse_qs

from django.conf import settings
from django.http import HttpResponse, JsonResponse, parse_cookie
from django.utils import translation
from django.utils.translation import gettext

from config.admission.admit_rate import AdmitRate
from config.admission.load import Load
from config.admission.table_capacity import TableCapacity
from config.admission.waiting_queue import WaitingQueue, update_interval
from config.http.error_pages import json_error_response
from config.http.handler import send_response
from config.page_cache.anonymous import PageCache, Visit
from games.core import admission_ticket, metrics
from games.core.addresses import network_of_scope
from games.core.admission_ticket import COOKIE, MAX_AGE, Pass, Ticket, cookie_header, identities, read, set_cookie
from games.core.asgi_types import Application, Receive, Scope, Send
from games.core.errors import NETWORK_IS_BUSY, ErrorCode, Refusal, time_left
from games.races.models import CODE_LENGTH, CODE_LETTERS

PAGE: Final = admission_ticket.PAGE
POLL: Final = "/queue.json"
"""The long-poll endpoint of the queue's page."""

#: Backlog, in seconds of page work, above which newcomers queue.
MAX_BACKLOG: Final = 0.2
#: Lifetime of a rendered queue page, in seconds; every waiting client shares it.
PAGE_AGE: Final = 3600.0
#: Seconds of grace for a late client.
GRACE: Final = 3.0

#: Paths that are always served: games in progress, staff, probes, pages embedded in other sites, and sign-in steps that
#: follow another site or an earlier step and expire within minutes.
_ALWAYS: Final = re.compile(
    r"/(table|admin|offline|static)/|/(healthz|readyz|metrics)$|/replay/[^/]+/embed/$"
    r"|/accounts/([a-z]+/login/callback|2fa/authenticate|3rdparty/signup)/$"
)
#: A race room, where players also take seats over the WebSocket: a client with a session may have one.
_ROOM: Final = re.compile(rf"/races/[{CODE_LETTERS}]{{{CODE_LENGTH}}}/$")
#: Path endings of forms that start a game or take a seat. Other forms are always served.
_BEGINNINGS: Final = ("/start", "/first", "/play-on", "/new", "/quick", "/bot", "/sit", "/accept")
_API: Final = "/api/"
_READING: Final = {"GET", "HEAD"}
#: Placeholders in the queue page.
_PLACE, _WAIT, _REFRESH = 'id="queue-place">', 'id="queue-wait" role="status">', 'http-equiv="refresh" content="'

Request = tuple[Scope, Receive, Send]
Holding = Ticket | Pass | None


#: Kinds of requests that may have to wait. READING (an API read) needs no place in the queue, only room.
Door = Enum("Door", ["PAGE", "FORM", "JSON_FORM", "API", "READING"])


def door_of(visit: Visit) -> Door | None:
    """Return the kind of a request, or None if it is always served."""
    scope, accepted = visit.scope, visit.headers.get(b"accept", "")
    path, reads = scope["path"], scope["method"] in _READING
    if path.startswith(_API):
        return None if scope["method"] == "OPTIONS" else Door.READING if reads else Door.API
    if _ALWAYS.match(path) or (_ROOM.match(path) and settings.SESSION_COOKIE_NAME in visit.cookies):
        return None
    if reads:
        return Door.PAGE if "text/html" in accepted else None
    if scope["method"] == "POST" and path.endswith(_BEGINNINGS):
        return Door.FORM if "text/html" in accepted else Door.JSON_FORM
    return None


class Gate:
    """ASGI application that serves, queues or refuses each request."""

    def __init__(self, application: Application, page_cache: PageCache, load: Load) -> None:
        self.queue = WaitingQueue()
        self.rate = AdmitRate()
        self.load, self.tables = load, TableCapacity()
        self._application, self._page_cache = application, page_cache
        self._served, self._last_beat = 0, time.monotonic()
        self._polls: dict[Ticket, asyncio.Future[None]] = {}
        self._used: dict[Holding, float] = {}
        """Tickets exchanged for passes and passes exchanged for new ones, in order of their expiry times."""
        load.on_beat = self.beat
        if settings.TABLES_ELSEWHERE:
            load.jobs.append(self.tables.watch)

    @property
    def has_room(self) -> bool:
        """True if newcomers may enter. By Little's law, a page waits for the pages ahead times their mean duration."""
        backlog = self.load.pages.threads.in_work / self.rate.pages_per_second
        return not ((settings.ADMISSION and backlog > MAX_BACKLOG) or self.load.is_full or self.tables.is_full)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        self.load.start()
        path, request, is_open = scope["path"], (scope, receive, send), self.has_room and not self.queue.has_due()
        if is_open and path not in {POLL, PAGE}:
            await self._serve(*request)
            return
        visit = Visit.of(scope)
        client = identities(visit.cookies.get(settings.SESSION_COOKIE_NAME), network_of_scope(scope))
        shown, door = read(visit.cookies.get(COOKIE, ""), client), door_of(visit)
        holding = self._holding(shown)
        if path == POLL:
            await self._poll(visit, client, holding, request)
        elif path == PAGE and (is_open or isinstance(holding, Pass)) and not _is_early(holding):
            page = parse_qs(scope["query_string"].decode("latin1")).get("next", [""])[0]
            redirect = HttpResponse(status=303, headers={"Location": admission_ticket.own_page(page)})
            await _send(send, redirect, holding, client)
        elif isinstance(holding, Pass):
            await self._serve_holder(holding, door, None if shown == holding else client, request)
        elif door is None or (door is Door.READING and self.has_room):
            await self._serve(*request)
        elif door in {Door.API, Door.READING}:
            response = _refusal(len(self.queue) + 1)
            response["Access-Control-Allow-Origin"], response["Access-Control-Expose-Headers"] = "*", "Retry-After"
            await _send(send, response)
        else:
            await self._queue(visit, door, client, holding, request)

    def beat(self) -> None:
        """Admit the clients whose turn has come."""
        now = time.monotonic()
        elapsed, self._last_beat = now - self._last_beat, now
        pages, self._served = self._served, 0
        metrics.FULL.set(not self.has_room)
        metrics.NEWCOMERS_WAITING.set(len(self.queue))
        self.queue.expire(now)
        while self._used and self._used[first := next(iter(self._used))] < now:
            del self._used[first]
        if not self.queue.has_due():
            return
        self.rate.note(elapsed, busy=self.load.pages.threads.in_work > 0, pages=pages, has_room=self.has_room)
        while self.queue.has_due() and self.rate.take():
            ticket = self.queue.pop()
            self._use(ticket)
            if ticket in self._polls:
                self._polls.pop(ticket).set_result(None)
            metrics.NEWCOMERS.labels("let_in").inc()

    def _holding(self, shown: Holding) -> Holding:
        """Return the cookie's current value: a used ticket counts as a pass, a used pass as nothing."""
        holding = Pass(shown.name) if isinstance(shown, Ticket) and shown in self._used else shown
        return None if holding in self._used else holding

    def _use(self, holding: Holding) -> None:
        self._used[holding] = time.monotonic() + MAX_AGE.total_seconds()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._application(scope, receive, send)
        finally:
            self._served += 1

    async def _serve_holder(self, holding: Pass, door: Door | None, client: list[str] | None, request: Request) -> None:
        """Serve a client with a pass, and set its cookie if it is new to `client`.

        With a new session it gets a new pass, and the old one is used up. It already counts as used while a form that
        starts a game is in progress, so two clients cannot use it at once.
        """
        scope, receive, send = request
        starts_game = door in {Door.FORM, Door.JSON_FORM}
        if starts_game:
            self._use(holding)

        async def exchange(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                issued, identity = holding, client
                if session := _new_session(message["headers"]):
                    self._use(holding)
                    issued, identity = Pass(), identities(session, network_of_scope(scope))
                elif starts_game:
                    self._used.pop(holding, None)
                if identity:
                    message = {**message, "headers": [*message["headers"], cookie_header(issued, identity)]}
            await send(message)

        await self._serve(scope, receive, exchange)

    async def _poll(self, visit: Visit, client: list[str], holding: Holding, request: Request) -> None:
        """Answer a waiting client's poll as soon as its turn comes, or with its place after a while."""
        if holding is None and (self.queue.has_due() or not self.has_room):
            holding = _new_ticket()
        if isinstance(holding, Ticket):
            if not await self._wait(holding, request[1]):
                return
            holding = self._holding(holding)
        status: dict[str, Any] = {"let_in": True}
        if isinstance(holding, Ticket):
            status = {"let_in": False, "place": self.queue.place(holding), "wait": self._wait_text(visit, holding)}
        await _send(request[2], JsonResponse(status, headers={"Cache-Control": "no-store"}), holding, client)

    async def _wait(self, ticket: Ticket, receive: Receive) -> bool:
        """Wait for the ticket's turn or the next update. Return False if the client has disconnected."""
        seconds = update_interval(self.queue.place(ticket))
        self.queue.enter(ticket, time.monotonic() + seconds + GRACE)
        turn = self._polls.setdefault(ticket, asyncio.get_running_loop().create_future())
        leaving = asyncio.create_task(_disconnected(receive))
        await asyncio.wait({turn, leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        self._polls.pop(ticket, None)
        if leaving.done():
            self.queue.leave(ticket)
        return leaving.cancel()

    async def _queue(
        self, visit: Visit, door: Door, client: list[str], ticket: Ticket | None, request: Request
    ) -> None:
        """Show a client its place.

        A ticket enters the queue only when it is presented again, so programs that ignore the response delay no other
        client.
        """
        is_new, ticket = ticket is None, ticket or _new_ticket()
        place = self.queue.place(ticket)
        if not is_new:
            self.queue.enter(ticket, time.monotonic() + 2 * update_interval(place) + GRACE)
        if door is Door.JSON_FORM:
            response: HttpResponse | None = _refusal(place, place=place)
        elif door is Door.FORM:
            response = admission_ticket.to_queue(visit.headers.get(b"referer", ""), visit.headers.get(b"host", ""))
        else:
            response = await self._page(visit, ticket)
        if response is None:  # an unknown host or a redirect to HTTPS: Django answers
            await self._application(*request)
        else:
            await _send(request[2], response, ticket, client)

    async def _page(self, visit: Visit, ticket: Ticket) -> HttpResponse | None:
        place = self.queue.place(ticket)
        scope = {**visit.scope, "method": "GET", "path": PAGE, "raw_path": PAGE.encode(), "query_string": b""}
        own = Visit.of(scope)
        copy = await self._page_cache.get(own, PAGE_AGE)
        if copy is None:
            return None
        headers, holes = copy.for_visitor(own)
        interval = str(update_interval(place))
        body = copy.page.plain(holes).decode()
        for hole, value in ((_PLACE, str(place)), (_WAIT, self._wait_text(visit, ticket)), (_REFRESH, interval)):
            body = body.replace(hole, hole + value)
        shown = {name.decode(): value.decode("latin1") for name, value in headers} | {"Retry-After": interval}
        return HttpResponse(body if visit.scope["method"] == "GET" else b"", status=503, headers=shown)

    def _wait_text(self, visit: Visit, ticket: Ticket) -> str:
        """Return the expected wait, in the visitor's language; there is no estimate while all tables are full."""
        with translation.override(visit.language):
            if _is_early(ticket):
                return f"{NETWORK_IS_BUSY} {time_left(ticket.wait)}"
            if self.tables.is_full or not self.load.has_free_socket:
                return gettext("All tables are full right now.")
            return time_left(self.queue.place(ticket) / self.rate.per_second)


def _new_ticket() -> Ticket:
    metrics.NEWCOMERS.labels("queued").inc()
    return Ticket.new()


def _is_early(holding: Holding) -> bool:
    return isinstance(holding, Ticket) and holding.wait > 0


def _refusal(position: int, **data: int) -> HttpResponse:
    """Return a JSON refusal that asks a program to retry after its update interval."""
    metrics.NEWCOMERS.labels("refused").inc()
    refusal = Refusal(ErrorCode.SERVER_FULL, retry_after=update_interval(position), **data)
    with translation.override("en-gb"):
        response = json_error_response(refusal)
    response["Retry-After"], response["Cache-Control"] = str(refusal.data["retry_after"]), "no-store"
    return response


async def _send(send: Send, response: HttpResponse, holding: Holding = None, client: list[str] | None = None) -> None:
    if holding and client:
        set_cookie(response, holding, client)
    await send_response(response, send)


def _new_session(headers: list[tuple[bytes, bytes]]) -> str:
    """Return the session key that a response sets, or an empty string."""
    cookies = [value.decode("latin1").partition(";")[0] for name, value in headers if name.lower() == b"set-cookie"]
    return parse_cookie(";".join(cookies)).get(settings.SESSION_COOKIE_NAME, "")


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
