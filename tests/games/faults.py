"""Faults at the places where a coroutine waits, each in turn: whoever adds an `await` has it tried without more ado."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from types import CodeType
from typing import Any

from django.db import InterfaceError, OperationalError

from games.live.journal import Journal, JournalBusyError
from games.thread_pool import ThreadPool

Faults = list[type[BaseException]]

#: What can go wrong where these wait; everywhere one can be cancelled, too.
POSSIBLE: dict[CodeType, Faults] = {
    Journal.append.__code__: [JournalBusyError],
    ThreadPool.run.__code__: [OperationalError, InterfaceError],
}


class Stepped:
    """Awaits a coroutine step by step, and throws `fault` into it where it waits for the `k`-th time (from 0).

    The fault comes before what is waited for has happened, which may then happen unheard, or `late`: after it has, in
    place of the answer.
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
    """What can go wrong where a coroutine waits now."""
    while doing is not None:
        code = getattr(doing, "cr_code", None)
        if code in POSSIBLE:
            return [*POSSIBLE[code], asyncio.CancelledError]
        doing = getattr(doing, "cr_await", None)
    return [asyncio.CancelledError]
