"""Objects that exist once for each event loop. A server has one loop, so that is once for each process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

_T = TypeVar("_T")


class PerLoop(WeakKeyDictionary[asyncio.AbstractEventLoop, _T], Generic[_T]):
    """The objects by loop; a call returns the running loop's, made at the first call."""

    def __init__(self, factory: Callable[[], _T]) -> None:
        super().__init__()
        self._factory = factory

    def __call__(self) -> _T:
        """Return the running loop's object."""
        loop = asyncio.get_running_loop()
        if loop not in self:
            self[loop] = self._factory()
        return self[loop]
