"""Thread pool with a bounded queue, for blocking calls from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class PoolFullError(RuntimeError):
    """Every thread is busy and the queue is full."""


class ThreadPool:
    """A `ThreadPoolExecutor` that refuses calls once `queue` of them wait for one of its `threads`."""

    def __init__(self, name: str, threads: int, queue: int = 1_000) -> None:
        self._executor = ThreadPoolExecutor(threads, name)
        self._max_calls = threads + queue
        self._calls: set[Future[Any]] = set()

    @property
    def in_work(self) -> int:
        """The number of calls that have a thread or wait for one."""
        return len(self._calls)

    async def run(self, function: Callable[_Params, _Result], *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        """Call a function in a thread, in a copy of the current context.

        A call that is already running continues if the caller is cancelled.

        :raises PoolFullError: if the queue is full.
        """
        if len(self._calls) >= self._max_calls:
            raise PoolFullError
        call = self._executor.submit(copy_context().run, partial(function, *args, **kwargs))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        return await asyncio.wrap_future(call)
