"""Queue in which sources, such as networks, take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

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
