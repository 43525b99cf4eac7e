"""ASGI handler that runs each Django request in a single thread hop from the event loop.

Django's own handler makes a newcomer's way to the fifth move cost 11 % more CPU (`benchmarks.pages`, November 2026).
The parts of `ASGIHandler` used here are checked in `tests/config/http/test_handler.py`.
"""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any, Final

from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config.http.error_pages import error_response
from games.core.asgi_types import Scope
from games.core.errors import ErrorCode, Refusal
from games.core.thread_pool import PoolFullError, ThreadPool
from games.db.timeouts import database_timeout

#: Page threads. One computes while the others wait for the database; every further thread is one more for the event
#: loop to wait for. Fewer than the connections in a process's database pool.
THREADS: Final = 6
#: Number of requests that may wait for a thread, and the Retry-After in seconds for those that may not.
QUEUE: Final = 500
RETRY_AFTER: Final = 5
#: Path prefixes with a dedicated thread, and the number of requests that may wait for it: drawing pictures is slow, and
#: metrics must be readable while everything else is stuck.
OWN_THREAD: Final = {"/previews/": 24, "/metrics": 4}


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
        self._own_threads = {path: ThreadPool(path.strip("/"), 1, queue) for path, queue in OWN_THREAD.items()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve one request. It takes a thread only once its body has arrived, so slow senders occupy none."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            try:
                response = await self._threads_for(scope["path"]).run(self._respond, scope, body)
            except PoolFullError:
                response = self._busy(scope, body)
            if not response.streaming:
                await self.send_response(response, send)
                return
            try:
                await self._stream(response, receive, send)
            finally:
                await self.threads.run(response.close)

    def _threads_for(self, path: str) -> ThreadPool:
        return next((own for start, own in self._own_threads.items() if path.startswith(start)), self.threads)

    def _respond(self, scope: Scope, body: Any) -> HttpResponseBase:  # noqa: ANN401 - a file
        """Return the response, already closed unless it streams."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        with database_timeout():
            response: Any = refused if request is None else self.get_response(request)
        response._handler_class = self.__class__  # noqa: SLF001 - its close says by whom it was begun
        if response.streaming:
            close_old_connections()  # a stream may end in another thread
        else:
            response.close()
        answered: HttpResponseBase = response
        return answered

    def _busy(self, scope: Scope, body: Any) -> HttpResponseBase:  # noqa: ANN401 - a file
        """Return the response to a request that finds the pool's queue full."""
        request: Any = self.create_request(scope, body)[0]
        return error_response(request or HttpRequest(), Refusal(ErrorCode.SERVER_BUSY, retry_after=RETRY_AFTER))

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Send a stream until it ends or the client disconnects."""
        sending = asyncio.create_task(self.send_response(response, send))
        leaving = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
