"""The threads of Django's synchronous code: a few that keep their database connections, not one for each request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from asgiref.sync import SyncToAsync, ThreadSensitiveContext

if TYPE_CHECKING:
    from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope

#: One computes at a time, the others wait for the database; each one more is another that the event loop has to wait
#: for. Fewer than the connections in a process's database pool.
THREADS = 6
BODY_BYTES = 1024 * 1024


class KeptThreads:
    """Runs each HTTP request in one of a few threads, preferring the one used last.

    Django would otherwise make a thread for every request, and with it a new database connection. A request takes a
    thread only once its body has arrived, so slow senders hold none.
    """

    def __init__(self, application: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._application = application
        self._idle: asyncio.LifoQueue[ThreadSensitiveContext] = asyncio.LifoQueue()
        for _ in range(THREADS):
            self._idle.put_nowait(ThreadSensitiveContext())
        self.in_work = 0
        """Requests that have a thread or wait for one."""

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Serve one request."""
        receive = await _with_body(receive)
        self.in_work += 1
        try:
            await self._serve(scope, receive, send)
        finally:
            self.in_work -= 1

    async def _serve(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        context = await self._idle.get()
        token = SyncToAsync.thread_sensitive_context.set(context)
        try:
            await self._application(scope, receive, send)
        finally:
            SyncToAsync.thread_sensitive_context.reset(token)
            self._idle.put_nowait(context)


async def _with_body(receive: ASGIReceiveCallable) -> ASGIReceiveCallable:
    """Wait for the body, or its first BODY_BYTES, and return a `receive` that delivers it again."""
    arrived: list[Any] = []
    size, more = 0, True
    while more and size <= BODY_BYTES:
        message: Any = await receive()
        arrived.append(message)
        size += len(message.get("body", b""))
        more = bool(message.get("more_body"))
    arrived.reverse()

    async def again() -> Any:  # noqa: ANN401
        return arrived.pop() if arrived else await receive()

    return again
