"""Production cache: Redis, with in-process memory as the fallback during an outage.

The cache holds only counters and copies, never facts, so no page may fail because the cache does.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

#: Redis timeout in seconds: the server is nearby, and a visitor is waiting for a page.
TIMEOUT: Final = 0.5
#: Seconds without a new attempt after a failure.
PAUSE: Final = 5.0
#: The most entries in a process's memory. An evicted counter restarts from zero.
ENTRIES: Final = 10_000
#: Least number of seconds between two log lines about an outage.
QUIET: Final = 60.0

_METHODS: Final = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear"
)  # fmt: skip


class Outage:
    """Outage state of Redis, shared by the whole process because Django makes a cache object per thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask_again_at = 0.0
        self._said_at = -QUIET

    @property
    def is_on(self) -> bool:
        """True if Redis has failed and not answered since."""
        return self._ask_again_at > 0

    def may_ask(self) -> bool:
        """Return True if the caller should try Redis. During an outage, only one caller at a time does."""
        with self._lock:
            now = time.monotonic()
            if now < self._ask_again_at:
                return False
            if self._ask_again_at:
                self._ask_again_at = now + PAUSE
            return True

    def begin(self, error: Exception) -> None:
        """Record that Redis has failed."""
        with self._lock:
            now = time.monotonic()
            self._ask_again_at = now + PAUSE
            if now - self._said_at < QUIET:
                return
            self._said_at = now
        log.warning("Redis is unavailable, caching in process memory until it is back: %s", error)

    def end(self) -> None:
        """Record that Redis has answered."""
        self._ask_again_at = 0.0


class KeptClient(RedisCacheClient):
    """Django's Redis client, reusing one connection object per server instead of making one per command."""

    def __init__(self, servers: list[str]) -> None:
        retry = Retry(NoBackoff(), 1)  # for a stale connection
        super().__init__(servers, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=retry)
        self._made: dict[int, Redis] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:  # noqa: ANN401, ARG002 - Django's
        """Return the shared client for this server."""
        index: int = self._get_connection_pool_index(write)  # type: ignore[attr-defined] # unknown to the stubs
        made = self._made.get(index)
        return made or self._made.setdefault(index, super().get_client(write=write))


@functools.cache
def client_of(*servers: str) -> KeptClient:
    """Return the process's client for these servers, with its connection pool.

    Django makes a cache object for every request served from an event loop. A client per object would reconnect each
    time,
    which costs more than rendering most pages.
    """
    return KeptClient(list(servers))


class TolerantRedisCache(RedisCache):
    """Redis cache that falls back to memory instead of raising while Redis is away."""

    outage: Final = Outage()

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._cache = client_of(*self._servers)  # type: ignore[attr-defined] # unknown to the stubs
        self._spare = LocMemCache("spare", params | {"OPTIONS": {"MAX_ENTRIES": ENTRIES}})


def _tolerant(name: str) -> Callable[..., Any]:
    ask = getattr(RedisCache, name)

    @functools.wraps(ask)
    def call(self: TolerantRedisCache, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        if self.outage.may_ask():
            try:
                found = ask(self, *args, **options)
            except (RedisError, OSError) as error:
                self.outage.begin(error)
            else:
                self.outage.end()
                return found
        return getattr(self._spare, name)(*args, **options)

    return call


for _name in _METHODS:
    setattr(TolerantRedisCache, _name, _tolerant(_name))
