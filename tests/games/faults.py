"""Fault injection at every await of a coroutine, in turn; a new `await` is covered automatically."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from types import CodeType
from typing import Any

from django.db import InterfaceError, OperationalError

from games.core.thread_pool import ThreadPool
from games.live.journal import Journal, JournalBusyError

Faults = list[type[BaseException]]

#: Possible faults by the code that awaits; cancellation is possible everywhere.
POSSIBLE: dict[CodeType, Faults] = {
    Journal.append.__code__: [JournalBusyError],
    ThreadPool.run.__code__: [OperationalError, InterfaceError],
}


class Stepped:
    """Await a coroutine step by step, and throw `fault` into it at its `k`-th suspension (from 0).

    The fault comes before the awaited event, which may then happen unnoticed; with `late`, it replaces the result of an
    event that has happened.
    """

    def __init__(
        self, doing: Coroutine[Any, Any, Any], k: int = -1, fault: type[BaseException] | None = None, *, late: bool
    ) -> None:
        self._doing = doing
        self._k, self._fault, self._late = k, fault, late
        self.possible: list[Faults] = []

    def __await__(self) -> Generator[Any, None, None]:
        try:
            awaited = self._doing.send(None)
            while True:
                here = len(self.possible) == self._k
                self.possible.append(possible_at(self._doing))
                if here and not self._late:
                    awaited = self._doing.throw(self._made())
                    continue
                error: BaseException | None = None
                try:
                    yield awaited
                except BaseException as raised:  # noqa: BLE001 - handed on
                    error = raised
                if here:
                    error = self._made()
                awaited = self._doing.send(None) if error is None else self._doing.throw(error)
        except StopIteration:
            return

    def _made(self) -> BaseException:
        assert self._fault is not None
        return self._fault()


def possible_at(doing: Any) -> Faults:
    """Return the possible faults at the coroutine's current await."""
    while doing is not None:
        code = getattr(doing, "cr_code", None)
        if code in POSSIBLE:
            return [*POSSIBLE[code], asyncio.CancelledError]
        doing = getattr(doing, "cr_await", None)
    return [asyncio.CancelledError]
