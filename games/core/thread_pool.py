"""Thread pool with a bounded, fair queue, for blocking calls from the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import chain
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")
_Item = TypeVar("_Item")


class FairQueue(Generic[_Item]):
    """First come, first served within a source; a backlog of one source does not delay the others. Not thread-safe."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[_Item]] = {}

    def __iter__(self) -> Iterator[_Item]:
        return chain.from_iterable(self._waiting.values())

    def put(self, item: _Item, source: str = "") -> None:
        """Add an item."""
        self._waiting.setdefault(source, deque()).append(item)

    def take(self) -> _Item | None:
        """Remove the next item and return it; None if the queue is empty."""
        if not self._waiting:
            return None
        source = next(iter(self._waiting))
        items = self._waiting.pop(source)
        item = items.popleft()
        if items:
            self._waiting[source] = items  # the last in turn
        return item


class PoolFullError(RuntimeError):
    """Every thread is busy and the queue is full."""


class ThreadPool:
    """Threads that share a queue of at most `queue` calls, in which the callers' sources take turns."""

    def __init__(self, name: str, threads: int, queue: int = 1_000) -> None:
        self._executor = ThreadPoolExecutor(threads, name)
        self._max_calls = threads + queue
        self._calls: set[Future[Any]] = set()
        self._waiting = FairQueue[tuple[Future[Any], Callable[[], Any]]]()
        self._lock = Lock()

    @property
    def in_work(self) -> int:
        """The number of calls that have a thread or wait for one."""
        return len(self._calls)

    @property
    def is_full(self) -> bool:
        """True if the next call would be refused."""
        return len(self._calls) >= self._max_calls

    async def run(self, function: Callable[_Params, _Result], *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        """Call a function in a thread, in a copy of the current context.

        A call that is already running continues if the caller is cancelled.

        :raises PoolFullError: if the queue is full.
        """
        return await asyncio.wrap_future(self.submit(partial(function, *args, **kwargs)))

    def submit(self, function: Callable[[], _Result], source: str = "") -> Future[_Result]:
        """Queue a call like `run`, and return its future. Until it has a thread, it can be cancelled.

        :raises PoolFullError: if the queue is full.
        """
        if self.is_full:
            raise PoolFullError
        call = Future[_Result]()
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        with self._lock:
            self._waiting.put((call, partial(copy_context().run, function)), source)
        self._executor.submit(self._run_next)
        return call

    def _run_next(self) -> None:
        with self._lock:
            waiting = self._waiting.take()
        assert waiting is not None  # there is one for each `_run_next`
        call, function = waiting
        if call.set_running_or_notify_cancel():
            try:
                call.set_result(function())
            except BaseException as error:  # noqa: BLE001 - the caller's
                call.set_exception(error)
