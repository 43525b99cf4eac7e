"""Short-lived caches, stale-while-revalidate, for data that every visitor reads: leaderboards, today's deals, presence.

A cached value is fresh for some seconds. After that, one thread of each process reads it again while the others serve
the previous value. If the database fails, the previous value is served for up to a minute.

Shared values are stored in the site's cache as msgpack, under a key that contains a digest of their type, so two
releases with different types never read each other's entries. An entry that cannot be decoded counts as a miss.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from types import GenericAlias
from typing import Any, Final, Generic, TypeGuard, TypeVar

import msgspec
from django.core.cache import cache
from django.db import Error as DatabaseError
from django.db.models import Choices
from django.utils.safestring import SafeString

from games.db.replicas.router import PRIMARY, source

#: Seconds after expiry during which other threads get the old value at once while one thread reads.
SPARE: Final = 1.0
#: Seconds that a thread with an even older value waits for the reading thread.
PATIENCE: Final = 1.0
#: Seconds after expiry during which a value is served if the database fails.
STALE: Final = 60.0
#: Maximum number of values of a `ProcessCache`.
MOST: Final = 256

#: Read times of the values served because the database failed, for a caller that sets a list in its context.
outdated_values: Final[ContextVar[list[float]]] = ContextVar("outdated_values")

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cached(Generic[T]):
    """A value, and the time when its read began in seconds since 1970, so that processes can compare."""

    read_at: float
    value: T


class ReadingCache(ABC, Generic[T]):
    """Cache of one kind of value, each fresh for `fresh` seconds.

    :raises ValueError: when there is a cache of this name already.
    """

    def __init__(self, name: str, *, fresh: float) -> None:
        self.name = name
        self.fresh = fresh
        # Lock striping: keys that share a lock occasionally wait for each other.
        self._locks = tuple(threading.Lock() for _ in range(64))
        if CACHES.setdefault(name, self) is not self:
            raise ValueError(f"there are two caches named {name}")

    def get(
        self,
        key: str,
        read: Callable[[], T],
        *,
        is_complete: Callable[[T], bool] = lambda _: True,
        since: datetime | None = None,
    ) -> T:
        """Return the cached value, or call `read` if none is fresh, complete and read since a time.

        :raises Exception: what `read` raises, except for a database error while there is a previous value.
        """
        key, earliest = _key_for_source(key), since.timestamp() if since else 0.0
        cached = self._load(key)
        if self._is_good(cached, is_complete, earliest):
            return cached.value
        lock = self._locks[hash(key) % len(self._locks)]
        if not lock.acquire(timeout=self._patience(cached, earliest)) and cached is not None:
            return cached.value
        try:
            cached = self._load(key)  # the thread that held the lock may have stored one
            if self._is_good(cached, is_complete, earliest):
                return cached.value
            return self._read(key, read)
        except DatabaseError:
            if cached is None:
                raise
            log.warning("stale value served", extra={"cache": self.name}, exc_info=True)
            outdated_values.get([]).append(cached.read_at)
            return cached.value
        finally:
            lock.release()

    def renew(self, key: str, read: Callable[[], T]) -> T:
        """Call `read` unconditionally, store its value and return it."""
        return self._read(_key_for_source(key), read)

    def _read(self, key: str, read: Callable[[], T]) -> T:
        started_at = time.time()
        value = read()
        self._store(key, Cached(started_at, value))
        return value

    def _is_good(
        self, cached: Cached[T] | None, is_complete: Callable[[T], bool], earliest: float
    ) -> TypeGuard[Cached[T]]:
        if cached is None or cached.read_at < earliest:
            return False
        return _age(cached) < self.fresh and is_complete(cached.value)

    def _patience(self, cached: Cached[T] | None, earliest: float) -> float:
        """Return how many seconds to wait for the reading thread; -1 to wait until it is done."""
        if cached is None or cached.read_at < earliest:
            return -1
        return 0 if _age(cached) < self.fresh + SPARE else PATIENCE

    @abstractmethod
    def _load(self, key: str) -> Cached[T] | None:
        """Return the stored value, or None if there is none or it is too old to serve at all."""

    @abstractmethod
    def _store(self, key: str, cached: Cached[T]) -> None:
        """Store a value."""


CACHES: Final[dict[str, ReadingCache[Any]]] = {}
"""All caches of the site by name."""


class SharedCache(ReadingCache[T]):
    """Cache shared by all processes, in the site's cache; while Redis is down, each process has its own.

    :raises TypeError: for a type that cannot be stored.
    """

    def __init__(self, name: str, shape: type[T], *, fresh: float) -> None:
        super().__init__(name, fresh=fresh)
        self.shape: Any = shape
        pair: Any = GenericAlias(tuple, (float, shape))
        self._decoder = msgspec.msgpack.Decoder[tuple[float, T]](pair, dec_hook=lambda custom, stored: custom(stored))
        self.prefix = f"reading.{name}.{digest_of(shape)}."

    def _load(self, key: str) -> Cached[T] | None:
        stored = cache.get(self.prefix + key)
        if stored is None:
            return None
        try:
            return Cached(*self._decoder.decode(stored))
        except (msgspec.MsgspecError, TypeError):
            return None

    def _store(self, key: str, cached: Cached[T]) -> None:
        stored = msgspec.msgpack.encode((cached.read_at, cached.value), enc_hook=_encode_custom)
        cache.set(self.prefix + key, stored, timeout=self.fresh + STALE)


class ProcessCache(ReadingCache[T]):
    """In-process cache, for values that must not leave the process, such as deals with their seeds."""

    def __init__(self, name: str, *, fresh: float) -> None:
        super().__init__(name, fresh=fresh)
        self._stored: dict[str, Cached[T]] = {}

    def _load(self, key: str) -> Cached[T] | None:
        cached = self._stored.get(key)
        return cached if cached is not None and _age(cached) < self.fresh + STALE else None

    def _store(self, key: str, cached: Cached[T]) -> None:
        if len(self._stored) >= MOST:
            self._stored.clear()
        self._stored[key] = cached


def digest_of(shape: object) -> str:
    """Return a digest of a type: its fields and their types, recursively.

    :raises TypeError: for a type that cannot be stored.
    """
    schema = msgspec.json.schema(shape, schema_hook=_schema_of_custom)
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:12]


def _key_for_source(key: str) -> str:
    """Return a separate key for reads from a replica, whose data may be older than the primary's."""
    return key if source() == PRIMARY else f"replica.{key}"


def _age(cached: Cached[Any]) -> float:
    return abs(time.time() - cached.read_at)  # the clock of another machine may be ahead


# Types that msgspec does not support: rendered HTML, stored as text, and Django's enumerations, stored as their values.


def _encode_custom(value: object) -> str:
    if isinstance(value, SafeString):
        return str.__str__(value)
    raise NotImplementedError(f"{type(value)} cannot be stored")


def _schema_of_custom(shape: type) -> dict[str, Any]:
    if issubclass(shape, Choices):
        return {"enum": shape.values}
    if shape is SafeString:
        return {"type": "string", "format": "html"}
    raise NotImplementedError(f"{shape} cannot be stored")
