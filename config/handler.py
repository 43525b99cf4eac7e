"""Django's requests, each in one hop from the event loop to a thread and back."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

Scope = dict[str, Any]


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

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Serve one request."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            response = await sync_to_async(self._respond, thread_sensitive=True)(scope, body)
            if not response.streaming:
                await self.send_response(response, send)
                return
            try:
                await self._stream(response, receive, send)
            finally:
                await sync_to_async(response.close, thread_sensitive=True)()

    def _respond(self, scope: Scope, body: Any) -> HttpResponseBase:  # noqa: ANN401 - a file
        """The response, closed already unless it is a stream."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        response: Any = refused if request is None else self.get_response(request)
        response._handler_class = self.__class__  # noqa: SLF001 - its close says by whom it was begun
        if not response.streaming:
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
