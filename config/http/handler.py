"""ASGI handler that runs each Django request in a single thread hop from the event loop.

Django's own handler makes a newcomer's way to the fifth move cost 11 % more CPU (`benchmarks.pages`, November 2026).
The parts of `ASGIHandler` used here are checked in `tests/config/http/test_handler.py`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config.http.error_pages import error_response
from games.core import metrics
from games.core.addresses import network_of_scope, wide
from games.core.asgi_types import Scope
from games.core.errors import ErrorCode, Refusal
from games.core.thread_pool import PoolFullError, ThreadPool
from games.core.waiting import SiteFullError
from games.db.timeouts import database_timeout

log = logging.getLogger(__name__)

#: Page threads. One computes while the others wait for the database; every further thread is one more for the event
#: loop to wait for. Fewer than the connections in a process's database pool.
THREADS: Final = 6
#: Number of requests that may wait for a thread, and the Retry-After in seconds for those that may not.
QUEUE: Final = 500
RETRY_AFTER: Final = 5
#: Threads for the requests of newcomers, and the number of these that may wait; further newcomers wait on the queue's
#: page. So players' pages do not wait behind a rush, and few threads compete with the event loop.
NEWCOMERS: Final = 3
NEWCOMERS_QUEUE: Final = 250
#: Path prefixes with a dedicated thread, and the number of requests that may wait for it: drawing pictures is slow, and
#: metrics and the queue's page must be readable while everything else is stuck.
OWN_THREAD: Final = {"/previews/": 24, "/metrics": 4, "/queue/": 500}
API: Final = "/api/"
#: Path endings of forms that start a game or take a seat.
_BEGINNINGS: Final = ("/start", "/first", "/play-on", "/new", "/quick", "/bot", "/sit", "/accept")
#: Paths that no one waits for: tables, staff, pages embedded in other sites, and sign-in steps that expire soon.
_ALWAYS: Final = re.compile(
    r"/(table|admin|offline|static)/|/replay/[^/]+/embed/$"
    r"|/accounts/([a-z]+/login/callback|2fa/authenticate|3rdparty/signup)/$"
)
#: Paths whose forms hash a password, a third of a second of CPU. One thread does this, and the networks take turns.
HASHING: Final = re.compile(r"/accounts/(login|signup|reauthenticate|password/.+)/$|/admin/(login|password_change)/$")


async def send_response(response: HttpResponse, send: Any) -> None:  # noqa: ANN401 - ASGI's
    """Send a response that does not come from the handler."""
    response["Content-Length"] = str(len(response.content))
    await ASGIHandler.send_response(ASGIHandler.__new__(ASGIHandler), response, send)


class SyncHandler(ASGIHandler):
    """Django's ASGI handler with a synchronous request cycle.

    Middleware, views, templates and queries are all synchronous. Django's own handler runs an asynchronous chain that
    hops between the event loop and the thread for each part, a dozen times per request, which costs as much as a page.
    Here the whole chain, from the `request_started` signal to the closing of the response, runs in one thread. Only
    streams are sent from the event loop.
    """

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self.threads = ThreadPool("pages", THREADS, QUEUE)
        self.newcomers = ThreadPool("newcomers", NEWCOMERS, NEWCOMERS_QUEUE)
        self._hashing = ThreadPool("hashing", 1, QUEUE)
        self._own_threads = {path: ThreadPool(path.strip("/"), 1, queue) for path, queue in OWN_THREAD.items()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve one request. It takes a thread only once its body has arrived, so slow senders occupy none."""
        try:
            response = await self._unless_left(self._submit(scope, await _read_body(scope, receive)), receive)
        except RequestAborted:
            return
        except Refusal as refusal:
            request: Any = self.create_request(scope, BytesIO())[0]
            response = error_response(request or HttpRequest(), refusal)
            if scope["path"].startswith(API):
                response["Access-Control-Allow-Origin"], response["Access-Control-Expose-Headers"] = "*", "Retry-After"
            await send_response(response, send)
            return
        if not response.streaming:
            await self.send_response(response, send)
            return
        try:
            with suppress(RequestAborted):
                await self._unless_left(asyncio.create_task(self.send_response(response, send)), receive)
        finally:
            await self.threads.run(response.close)

    async def _unless_left(self, work: Any, receive: Any) -> Any:  # noqa: ANN401 - a future or a task
        """Return the result of `work`, which is cancelled if it can be when the client disconnects.

        :raises RequestAborted: if it was.
        """
        leaving = asyncio.create_task(self._cancel_at_disconnect(work, receive))
        try:
            return await asyncio.wrap_future(work)
        except asyncio.CancelledError:
            if leaving.done():
                raise RequestAborted from None
            raise
        finally:
            leaving.cancel()

    async def _cancel_at_disconnect(self, work: Any, receive: Any) -> None:  # noqa: ANN401 - as above
        with suppress(RequestAborted):
            await self.listen_for_disconnect(receive)
        work.cancel()

    def _submit(self, scope: Scope, body: BytesIO) -> Future[HttpResponseBase]:
        path, respond = scope["path"], partial(self._respond, scope, body, time.monotonic())
        if is_newcomer(scope):
            try:
                return self.newcomers.submit(respond)
            except PoolFullError:
                raise SiteFullError from None
        try:
            if scope["method"] == "POST" and HASHING.match(path):
                return self._hashing.submit(respond, wide(network_of_scope(scope)))
            own = (own for start, own in self._own_threads.items() if path.startswith(start))
            return next(own, self.threads).submit(respond)
        except PoolFullError:
            raise Refusal(ErrorCode.SERVER_BUSY, retry_after=RETRY_AFTER) from None

    def _respond(self, scope: Scope, body: BytesIO, received_at: float) -> HttpResponseBase:
        """Return the response, already closed unless it streams."""
        metrics.PAGE_DELAY.set(time.monotonic() - received_at)
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request: Any
        request, refused = self.create_request(scope, body)
        with database_timeout():
            if request is None:
                response: Any = refused
            else:
                request.is_full = self.newcomers.is_full
                response = self.get_response(request)
        response._handler_class = self.__class__  # noqa: SLF001 - its close says by whom it was begun
        if response.streaming:
            close_old_connections()  # a stream may end in another thread
        else:
            response.close()
        answered: HttpResponseBase = response
        return answered


def is_newcomer(scope: Scope) -> bool:
    """Return True for a page, a call of the API, or a form that starts a game, from a client without a session.

    The page cache's own requests are for all visitors (`config.page_cache`).
    """
    path, method, headers = scope["path"], scope["method"], dict(scope["headers"])
    has_session = f"{settings.SESSION_COOKIE_NAME}=".encode() in headers.get(b"cookie", b"")
    if has_session or "for_all" in scope or path.startswith(tuple(OWN_THREAD)):
        return False
    if path.startswith(API):
        return True
    if method == "POST":
        return path.endswith(_BEGINNINGS) and not _ALWAYS.match(path)
    return b"text/html" in headers.get(b"accept", b"") and not _ALWAYS.match(path)


async def _read_body(scope: Scope, receive: Any) -> BytesIO:  # noqa: ANN401 - ASGI's
    """Return the body of a request.

    :raises RequestAborted: if the client disconnects.
    :raises Refusal: as soon as the body, or the length that the client declares, is over the limit.
    """
    body, limit, more = BytesIO(), settings.DATA_UPLOAD_MAX_MEMORY_SIZE, True
    size = int(dict(scope["headers"]).get(b"content-length", 0))
    while more and size <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        body.write(message.get("body", b""))
        size, more = max(size, body.tell()), message.get("more_body", False)
    if size > limit:
        log.warning("request body too large", extra={"path": scope["path"], "limit": limit})
        raise Refusal(ErrorCode.TOO_LARGE, limit=limit)
    body.seek(0)
    return body
