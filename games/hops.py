"""From the event loop to a thread and back, for synchronous code that may have to wait for the database.

asgiref's way there costs twice as much, for what nothing here needs: code in the thread that goes back to the loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Got = TypeVar("_Got")


class _Call(NamedTuple):
    """What is to be done, in which context, and who waits for it."""

    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]
    context: Context
    do: Callable[[], Any]


class Hops:
    """A few threads that stay, as many as there have been calls at a time, up to `most`."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._in_work = 0

    @property
    def in_work(self) -> int:
        """Calls that have a thread or wait for one."""
        return self._in_work

    async def run(self, function: Callable[_Given, _Got], *given: _Given.args, **named: _Given.kwargs) -> _Got:
        """Call the function in a thread, in a copy of this context. Who stops waiting does not stop it."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_Got] = loop.create_future()
        call = _Call(loop, done, copy_context(), partial(function, *given, **named))
        with self._lock:
            self._in_work += 1
            if self._threads < min(self._in_work, self._most):
                self._threads += 1
                name = f"{self._name} {self._threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        self._calls.put(call)
        return await done

    def _work(self) -> None:
        """A thread: one call after the other, for as long as the process lives."""
        while True:
            self._answer(self._calls.get())

    def _answer(self, call: _Call) -> None:
        result, failure = None, None
        try:
            result = call.context.run(call.do)
        except BaseException as error:  # noqa: BLE001 - whatever it is, somebody waits for the answer
            failure = error
        with self._lock:
            self._in_work -= 1
        try:
            call.loop.call_soon_threadsafe(_tell, call.done, result, failure)
        except RuntimeError:
            return  # the loop has gone, and with it whoever waited


def _tell(done: asyncio.Future[Any], result: object, failure: BaseException | None) -> None:
    if done.done():
        return  # nobody waits any more
    if failure is None:
        done.set_result(result)
    else:
        done.set_exception(failure)
