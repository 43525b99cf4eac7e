"""Production cache: Redis, with in-process memory as the fallback during an outage.

The cache holds only counters and copies, never facts, so no page may fail because the cache does.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, ClassVar, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from pybreaker import CircuitBreakerError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from config.backends.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

#: Redis timeout in seconds: the server is nearby, and a visitor is waiting for a page.
TIMEOUT: Final = 0.5
#: Seconds without a new attempt after a failure.
PAUSE: Final = 5.0
#: The most entries in a process's memory. An evicted counter restarts from zero.
ENTRIES: Final = 10_000
#: Errors that mean an outage.
ERRORS: Final = (RedisError, OSError)

_METHODS: Final = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear"
)  # fmt: skip


class PersistentClient(RedisCacheClient):
    """Django's Redis client, reusing one `Redis` object per server: making one per command takes 80 µs of CPU."""

    def __init__(self, servers: list[str]) -> None:
        retry = Retry(NoBackoff(), 1)  # for a stale connection
        super().__init__(servers, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=retry)
        self._clients: dict[int, Redis] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:  # noqa: ANN401, ARG002 - Django's
        """Return the shared client for this server."""
        index: int = self._get_connection_pool_index(write)  # type: ignore[attr-defined] # unknown to the stubs
        client = self._clients.get(index)
        return client or self._clients.setdefault(index, super().get_client(write=write))


@functools.cache
def client_of(*servers: str) -> PersistentClient:
    """Return the process's client for these servers, with its connection pool.

    Django makes a cache object for every request served from an event loop. A client per object would reconnect each
    time, which costs more than rendering most pages.
    """
    return PersistentClient(list(servers))


class TolerantRedisCache(RedisCache):
    """Redis cache that falls back to memory instead of raising while Redis is away."""

    #: Shared by the whole process, because Django makes a cache object per thread.
    breaker: ClassVar = CircuitBreaker("Redis", 1, PAUSE, ERRORS)

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._cache = client_of(*self._servers)  # type: ignore[attr-defined] # unknown to the stubs
        self._fallback = LocMemCache("spare", params | {"OPTIONS": {"MAX_ENTRIES": ENTRIES}})


def _tolerant(name: str) -> Callable[..., Any]:
    method = getattr(RedisCache, name)

    @functools.wraps(method)
    def call(self: TolerantRedisCache, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        try:
            return self.breaker.call(functools.partial(method, self, *args, **options))
        except CircuitBreakerError:
            pass
        except ERRORS:
            log.warning("the cache failed", exc_info=True)
        return getattr(self._fallback, name)(*args, **options)

    return call


for _name in _METHODS:
    setattr(TolerantRedisCache, _name, _tolerant(_name))
