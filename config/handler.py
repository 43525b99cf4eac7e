"""Django's requests, each in one hop from the event loop to a thread and back."""

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

from config.errors import answer
from games.errors import ErrorCode, Refusal
from games.thread_pool import PoolFullError, ThreadPool
from games.timeouts import database_timeout

Scope = dict[str, Any]

#: One computes at a time, the others wait for the database; each one more is another that the event loop has to wait
#: for. Fewer than the connections in a process's database pool.
THREADS: Final = 6
#: The number of requests that may wait for a thread, and the seconds after which one that could not should come again.
QUEUE: Final = 500
RETRY_AFTER: Final = 5
#: Paths whose requests have one thread of their own, and how many may wait for it: pictures take long to draw, and
#: metrics are read while everything else is stuck.
OWN_THREAD: Final = {"/previews/": 24, "/metrics": 4}


async def send_response(response: HttpResponse, send: Any) -> None:  # noqa: ANN401 - ASGI's
    """Send a response that was not made by the handler."""
    response["Content-Length"] = str(len(response.content))
    await ASGIHandler.send_response(ASGIHandler.__new__(ASGIHandler), response, send)


class OneHop(ASGIHandler):
    """Django's handler for ASGI, but for how it gets to a response.

    Everything on the way is synchronous: middleware, views, templates, queries. Django's own handler has a chain that
    is asynchronous in its parts and goes from the loop to the thread and back for each of them, a dozen times a
    request, which costs as much as a page. Here the whole chain runs in the thread, from the signal that a request has
    begun to the one that it is over. Only streams are sent from the loop bit by bit.
    """

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self.threads = ThreadPool("pages", THREADS, QUEUE)
        self._own_threads = {path: ThreadPool(path.strip("/"), 1, queue) for path, queue in OWN_THREAD.items()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve one request. It takes a thread only once its body has arrived, so slow senders hold none."""
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
        """The response, closed already unless it is a stream."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        with database_timeout():
            response: Any = refused if request is None else self.get_response(request)
        response._handler_class = self.__class__  # noqa: SLF001 - its close says by whom it was begun
        if response.streaming:
            close_old_connections()  # it may be over in another thread
        else:
            response.close()
        answered: HttpResponseBase = response
        return answered

    def _busy(self, scope: Scope, body: Any) -> HttpResponseBase:  # noqa: ANN401 - a file
        """Return the response to a request that finds the pool's queue full."""
        request: Any = self.create_request(scope, body)[0]
        return answer(request or HttpRequest(), Refusal(ErrorCode.SERVER_BUSY, retry_after=RETRY_AFTER))

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Send a stream until it ends or the client goes."""
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
