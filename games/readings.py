"""Short-lived caches of what everybody reads: a board's first page, today's deals, who is playing.

A cached value is served for some seconds. Then one thread of each process reads it again, while the others are served
the previous value. If the database fails, the previous value is served for up to a minute.

Values that all processes share are stored in the site's cache as msgpack, under a key that holds a digest of their
type. Two releases whose types differ therefore never read each other's entries. An entry that cannot be decoded counts
as a miss.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import GenericAlias
from typing import Any, Final, Generic, TypeGuard, TypeVar

import msgspec
from django.core.cache import cache
from django.db import Error as DatabaseError
from django.db.models import Choices
from django.utils.safestring import SafeString

from games.replicas.routing import PRIMARY, source

#: Seconds after a value's time is up in which other threads are served it while one thread reads.
SPARE: Final = 1.0
#: Seconds that a thread with an older value waits for the one that reads.
PATIENCE: Final = 1.0
#: Seconds after a value's time is up in which it is served if the database fails.
STALE: Final = 60.0
#: The most values in a process's own memory, for each cache.
MOST: Final = 256

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cached(Generic[T]):
    """A value, and when its reading began: seconds since 1970, so that processes can compare."""

    read_at: float
    value: T


class ReadingCache(ABC, Generic[T]):
    """Values of one kind, each served for `fresh` seconds.

    :raises ValueError: when there is a cache of this name already.
    """

    def __init__(self, name: str, *, fresh: float) -> None:
        self.name = name
        self.fresh = fresh
        # A fixed number of locks: two keys that share one wait for each other now and then.
        self._locks = tuple(threading.Lock() for _ in range(64))
        if CACHES.setdefault(name, self) is not self:
            raise ValueError(f"there are two caches named {name}")

    def get(self, key: str, read: Callable[[], T], *, is_complete: Callable[[T], bool] = lambda _: True) -> T:
        """Return the cached value, or call `read` if there is none that is fresh and complete.

        :raises Exception: what `read` raises, except for a database error while there is a previous value.
        """
        key = _apart(key)
        found = self._load(key)
        if self._is_good(found, is_complete):
            return found.value
        lock = self._locks[hash(key) % len(self._locks)]
        if not lock.acquire(timeout=self._patience(found)) and found is not None:
            return found.value
        try:
            found = self._load(key)  # the thread that held the lock may have stored one
            if self._is_good(found, is_complete):
                return found.value
            return self._read(key, read)
        except DatabaseError:
            if found is None:
                raise
            log.warning("stale value served", extra={"cache": self.name}, exc_info=True)
            return found.value
        finally:
            lock.release()

    def renew(self, key: str, read: Callable[[], T]) -> T:
        """Call `read`, and store its value for everybody."""
        return self._read(_apart(key), read)

    def _read(self, key: str, read: Callable[[], T]) -> T:
        begun = time.time()
        value = read()
        self._store(key, Cached(begun, value))
        return value

    def _is_good(self, found: Cached[T] | None, is_complete: Callable[[T], bool]) -> TypeGuard[Cached[T]]:
        return found is not None and _age(found) < self.fresh and is_complete(found.value)

    def _patience(self, found: Cached[T] | None) -> float:
        """How long to wait for the thread that reads, in seconds; -1 to wait until it is done."""
        if found is None:
            return -1
        return 0 if _age(found) < self.fresh + SPARE else PATIENCE

    @abstractmethod
    def _load(self, key: str) -> Cached[T] | None:
        """Return what is stored, unless it is too old to serve at all."""

    @abstractmethod
    def _store(self, key: str, made: Cached[T]) -> None:
        """Store a value."""


CACHES: Final[dict[str, ReadingCache[Any]]] = {}
"""Every cache of the site, by its name."""


class SharedCache(ReadingCache[T]):
    """Values in the site's cache, for all processes; while Redis is away, each process has its own.

    :raises TypeError: for a type that cannot be stored.
    """

    def __init__(self, name: str, shape: type[T], *, fresh: float) -> None:
        super().__init__(name, fresh=fresh)
        self.shape: Any = shape
        pair: Any = GenericAlias(tuple, (float, shape))
        self._decoder = msgspec.msgpack.Decoder[tuple[float, T]](pair, dec_hook=_decode_custom)
        self.prefix = f"reading.{name}.{digest_of(shape)}."

    def _load(self, key: str) -> Cached[T] | None:
        stored = cache.get(self.prefix + key)
        if stored is None:
            return None
        try:
            return Cached(*self._decoder.decode(stored))
        except (msgspec.MsgspecError, TypeError):
            return None

    def _store(self, key: str, made: Cached[T]) -> None:
        stored = msgspec.msgpack.encode((made.read_at, made.value), enc_hook=_encode_custom)
        cache.set(self.prefix + key, stored, timeout=self.fresh + STALE)


class ProcessCache(ReadingCache[T]):
    """Values that must not leave the process, such as deals with their seeds."""

    def __init__(self, name: str, *, fresh: float) -> None:
        super().__init__(name, fresh=fresh)
        self._stored: dict[str, Cached[T]] = {}

    def _load(self, key: str) -> Cached[T] | None:
        found = self._stored.get(key)
        return found if found is not None and _age(found) < self.fresh + STALE else None

    def _store(self, key: str, made: Cached[T]) -> None:
        if len(self._stored) >= MOST:
            self._stored.clear()
        self._stored[key] = made


def digest_of(shape: object) -> str:
    """Return a digest of a type: its fields and their types, and so on down.

    :raises TypeError: for a type that cannot be stored.
    """
    schema = msgspec.json.schema(shape, schema_hook=_schema_of_custom)
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:12]


def _apart(key: str) -> str:
    """Keep what was read from a replica apart: those who read from the primary know more."""
    return key if source() == PRIMARY else f"replica.{key}"


def _age(found: Cached[Any]) -> float:
    return abs(time.time() - found.read_at)  # the clock of another machine may be ahead


# What msgspec does not know: rendered HTML, which is stored as text, and Django's enumerations, stored as their values.


def _encode_custom(value: object) -> str:
    if isinstance(value, SafeString):
        return str.__str__(value)
    raise NotImplementedError(f"{type(value)} cannot be stored")


def _decode_custom(shape: type, value: object) -> object:
    return shape(value)


def _schema_of_custom(shape: type) -> dict[str, Any]:
    if issubclass(shape, Choices):
        return {"enum": shape.values}
    if shape is SafeString:
        return {"type": "string", "format": "html"}
    raise NotImplementedError(f"{shape} cannot be stored")
