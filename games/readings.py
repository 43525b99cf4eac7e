"""Short-lived copies of what everybody looks at: a board's first page, who waits for a verdict, who is playing.

A copy is in the site's cache, for all threads and processes, and is as good as a reading for some seconds. After that
one thread of a process reads again; whoever asks meanwhile gets the earlier copy, or waits if that is too old. While
Redis is away each process has copies of its own (`config.caches`). What is read from a replica is kept apart.

Where the cache is Redis, a process also keeps the copies it has had from there, and does not ask again while they are
good: fetching one and making objects of it takes longer than many a page. All threads get the same objects, so nobody
may change them.

What must leave the process to no cache, such as deals with their seeds, has copies in the process alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from django.conf import settings
from django.core.cache import cache

from games.replicas.routing import PRIMARY, source

SPARE: Final = 1.0  # s that a copy stays beyond that, for those who come while somebody reads

#: The most copies that a process keeps beside the cache, of one kind.
NEAR: Final = 256

_PREFIX: Final = "reading."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Copy(Generic[T]):
    """A reading, and when its beginning was: in seconds since 1970, or since some moment if it stays in the process."""

    value: T
    read_at: float


class SharedCopies:
    """The copies that one process takes and leaves, each as good as a reading for `fresh` seconds."""

    def __init__(self, fresh: float) -> None:
        self.fresh = fresh
        self._near: dict[str, Copy[Any]] = {}
        # A fixed number of locks: two boards that have the same one wait for each other now and then.
        self._locks = tuple(threading.Lock() for _ in range(64))

    def get(self, key: str, read: Callable[[], T], *, is_whole: Callable[[T], bool] = lambda _: True) -> T:
        """What `read` gave a moment ago, here or in another process; if nobody has read, it is called.

        A copy that is not whole is as good as none for whoever comes next.
        """
        copy: Copy[T] | None = self._near.get(_key(key)) if _is_cache_far() else None
        if copy is not None and self._is_fresh(copy) and is_whole(copy.value):
            return copy.value
        copy = self._fetch(key)
        if copy is not None and self._is_fresh(copy) and is_whole(copy.value):
            return copy.value
        lock = self._locks[hash(key) % len(self._locks)]
        if not lock.acquire(blocking=copy is None) and copy is not None:
            return copy.value
        try:
            copy = self._fetch(key)  # whoever had the lock before may have left one
            if copy is not None and self._is_fresh(copy) and is_whole(copy.value):
                return copy.value
            return self.renew(key, read)
        finally:
            lock.release()

    def renew(self, key: str, read: Callable[[], T]) -> T:
        """What `read` gives now, for everybody else too."""
        begun = time.time()
        copy = Copy(read(), begun)
        cache.set(_key(key), copy, timeout=self.fresh + SPARE)
        self._keep_near(key, copy)
        return copy.value

    def _fetch(self, key: str) -> Copy[Any] | None:
        copy: Copy[Any] | None = cache.get(_key(key))
        if copy is not None:
            self._keep_near(key, copy)
        return copy

    def _keep_near(self, key: str, copy: Copy[Any]) -> None:
        if not _is_cache_far():
            return
        if len(self._near) >= NEAR:
            self._near.clear()
        self._near[_key(key)] = copy

    def _is_fresh(self, copy: Copy[Any]) -> bool:
        return abs(time.time() - copy.read_at) < self.fresh  # the clock of another machine may be ahead


class OwnCopies(Generic[T]):
    """Copies that stay in the process, each as good as a reading for `fresh` seconds."""

    def __init__(self, fresh: float) -> None:
        self.fresh = fresh
        self._kept: dict[str, Copy[T]] = {}

    def get(self, key: str, read: Callable[[], T]) -> T:
        """What `read` gave a moment ago; else it is called, by each thread that asks meanwhile."""
        copy, now = self._kept.get(key), time.monotonic()
        if copy is None or now - copy.read_at >= self.fresh:
            if len(self._kept) >= NEAR:
                self._kept.clear()
            copy = self._kept[key] = Copy(read(), now)
        return copy.value


def _is_cache_far() -> bool:
    """Whether the cache is a server's memory and not this process's."""
    return "LOCATION" in settings.CACHES["default"]


def _key(key: str) -> str:
    """Where a copy is. One that was read from a replica is for those alone who read from replicas: others know more."""
    return f"{_PREFIX}{key}" if source() == PRIMARY else f"{_PREFIX}replica.{key}"
