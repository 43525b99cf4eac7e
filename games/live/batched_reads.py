"""Request batching: concurrent lookups share a query, so that 200 rooms starting in one second take a few queries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from itertools import islice
from typing import Generic, TypeVar

from games.live.loader import off_loop

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Batches(Generic[_Key, _Value]):
    """A batcher for one kind of lookup. Keys requested while a batch is running wait for the next one.

    So an answer is never older than its request, and a lone request runs at once.
    """

    def __init__(self, load: Callable[[list[_Key]], Mapping[_Key, _Value]], limit: int) -> None:
        """Create a batcher that calls `load` in a database thread with at most `limit` keys."""
        self._load = load
        self._limit = limit
        self._waiting: dict[_Key, asyncio.Future[_Value | None]] = {}
        self._task: asyncio.Task[None] | None = None

    async def get(self, key: _Key) -> _Value | None:
        """Return the answer for a key, or None if there is none.

        :raises Exception: the error of the batch's `load` call.
        """
        if key not in self._waiting:
            self._waiting[key] = asyncio.get_running_loop().create_future()
        waiting = self._waiting[key]
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run_batches())
        return await asyncio.shield(waiting)

    async def close(self) -> None:
        """Stop answering."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run_batches(self) -> None:
        while self._waiting:
            batch = {key: self._waiting.pop(key) for key in list(islice(self._waiting, self._limit))}
            try:
                values = await off_loop(self._load)(list(batch))
            except Exception as error:  # noqa: BLE001 - passed on to the callers
                for waiting in batch.values():
                    waiting.set_exception(error)
            else:
                for key, waiting in batch.items():
                    waiting.set_result(values.get(key))
