"""HTTP requests run in few threads that stay, and a slow sender holds none of them."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from asgiref.typing import HTTPScope

from config import threads
from config.threads import KeptThreads

SCOPE = cast("HTTPScope", {"type": "http"})


class Application:
    """Like Django's handler: a context of its own, then synchronous code."""

    def __init__(self) -> None:
        self.used: list[threading.Thread] = []
        self.bodies: list[bytes] = []

    async def __call__(self, _scope: Any, receive: Any, _send: Any) -> None:
        async with ThreadSensitiveContext():
            body, more = b"", True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
            self.bodies.append(body)
            self.used.append(await sync_to_async(threading.current_thread)())


def sender(*bodies: bytes) -> Any:
    """A client that sends these parts and then waits for ever."""
    parts = list(bodies)

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    return receive


async def send(_message: Any) -> None:
    """The answer is nobody's business here."""


async def test_requests_one_after_another_share_a_thread() -> None:
    application = Application()
    server = KeptThreads(application)
    for _ in range(5):
        await server(SCOPE, sender(b""), send)
    assert len({thread.ident for thread in application.used}) == 1
    assert application.used[0] is not threading.current_thread()
    assert application.used[0].is_alive()


async def test_a_body_in_parts_arrives_whole(monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "BODY_BYTES", 4)
    application = Application()
    await KeptThreads(application)(SCOPE, sender(b"abc", b"def", b"ghi"), send)
    assert application.bodies == [b"abcdefghi"]


async def test_slow_senders_hold_no_thread() -> None:
    application = Application()
    server = KeptThreads(application)

    async def never() -> Any:
        await asyncio.Event().wait()

    slow = [asyncio.create_task(server(SCOPE, never, send)) for _ in range(threads.THREADS + 1)]
    await asyncio.sleep(0)
    await asyncio.wait_for(server(SCOPE, sender(b"x"), send), 60)
    assert application.bodies == [b"x"]
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


async def test_a_failure_gives_its_thread_back() -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("no page")

    server = KeptThreads(broken)
    for _ in range(threads.THREADS + 1):
        try:
            await asyncio.wait_for(server(SCOPE, sender(b""), send), 60)
        except RuntimeError:
            continue
    assert server._idle.qsize() == threads.THREADS
