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
from django.http.response import HttpResponse, HttpResponseBase
from django.urls import set_script_prefix

from games.hops import Hops

Scope = dict[str, Any]

#: One computes at a time, the others wait for the database; each one more is another that the event loop has to wait
#: for. Fewer than the connections in a process's database pool.
THREADS: Final = 6


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
        self.threads = Hops("pages", THREADS)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve one request. It takes a thread only once its body has arrived, so slow senders hold none."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            response = await self.threads.run(self._respond, scope, body)
            if not response.streaming:
                await self.send_response(response, send)
                return
            try:
                await self._stream(response, receive, send)
            finally:
                await self.threads.run(response.close)

    def _respond(self, scope: Scope, body: Any) -> HttpResponseBase:  # noqa: ANN401 - a file
        """The response, closed already unless it is a stream."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        response: Any = refused if request is None else self.get_response(request)
        response._handler_class = self.__class__  # noqa: SLF001 - its close says by whom it was begun
        if response.streaming:
            close_old_connections()  # it may be over in another thread
        else:
            response.close()
        answered: HttpResponseBase = response
        return answered

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
