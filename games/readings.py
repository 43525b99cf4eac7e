"""Short-lived copies of what everybody looks at: a board's first page, who waits for a verdict, who is playing.

A copy lies in the cache that the settings name, for all threads and processes, and is as good as a reading for some
seconds. After that one thread of a process reads anew; those who ask meanwhile get the copy before, unless that is too
old, and then they wait. While the cache is away everybody reads the database.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import redis
from django.core.cache import caches

log = logging.getLogger(__name__)

SPARE: Final = 1.0  # s that a copy stays beyond that, for those who come while somebody reads
PAUSE: Final = 1.0  # s without the cache after it has failed
CACHE: Final = "readings"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Copy(Generic[T]):
    """A reading, and when its beginning was (seconds since 1970)."""

    value: T
    read_at: float


class SharedCopies:
    """The copies that one process takes and leaves, each as good as a reading for `fresh` seconds."""

    def __init__(self, fresh: float) -> None:
        self.fresh = fresh
        # A fixed number of locks: two boards that have the same one wait for each other now and then.
        self._locks = tuple(threading.Lock() for _ in range(64))
        self._away_until = 0.0

    def get(self, key: str, read: Callable[[], T]) -> T:
        """What `read` gave a moment ago, here or in another process; if nobody has read, it is called."""
        copy: Copy[T] | None = self._kept(key)
        if copy is not None and self._is_fresh(copy):
            return copy.value
        if self._is_away():
            return read()
        lock = self._locks[hash(key) % len(self._locks)]
        if not lock.acquire(blocking=copy is None) and copy is not None:
            return copy.value
        try:
            copy = self._kept(key)  # whoever had the lock before may have left one
            return copy.value if copy is not None and self._is_fresh(copy) else self.renew(key, read)
        finally:
            lock.release()

    def renew(self, key: str, read: Callable[[], T]) -> T:
        """What `read` gives now, for everybody else too."""
        begun = time.time()
        copy = Copy(read(), begun)
        self._ask(lambda: caches[CACHE].set(key, copy, timeout=self.fresh + SPARE))
        return copy.value

    def _is_fresh(self, copy: Copy[Any]) -> bool:
        return abs(time.time() - copy.read_at) < self.fresh  # the clock of another machine may be ahead

    def _kept(self, key: str) -> Any:  # noqa: ANN401 - a copy of whatever the key's reading gives
        return self._ask(lambda: caches[CACHE].get(key))

    def _is_away(self) -> bool:
        return time.monotonic() < self._away_until

    def _ask(self, question: Callable[[], Any]) -> Any:  # noqa: ANN401 - the cache's answer
        """What the cache answers; None, at once, while it is away."""
        if self._is_away():
            return None
        try:
            return question()
        except (redis.RedisError, OSError) as error:
            self._away_until = time.monotonic() + PAUSE
            log.warning("the cache of readings is away: %s", error)
            return None
