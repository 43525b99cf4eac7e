"""The production cache: Redis, with the process's own memory as a fallback while Redis is away.

Only counts and copies are kept here, never facts, so no page may fail because the cache does.
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

#: Seconds that Redis has to answer: it is close by, and somebody is waiting for a page.
TIMEOUT: Final = 0.5
#: Seconds after a failure in which it is not tried again.
PAUSE: Final = 5.0
#: The most entries in a process's memory; a count that is evicted starts again from zero.
ENTRIES: Final = 10_000
#: Seconds between two log lines about the outage.
QUIET: Final = 60.0

_METHODS: Final = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear"
)  # fmt: skip


class Outage:
    """Whether Redis is away, shared by the whole process, since Django makes a cache object for each thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask_again_at = 0.0
        self._said_at = -QUIET

    @property
    def is_on(self) -> bool:
        """Whether Redis has failed and not answered since."""
        return self._ask_again_at > 0

    def may_ask(self) -> bool:
        """Whether to try Redis. During an outage one caller at a time tries, so that the others are not held up."""
        with self._lock:
            now = time.monotonic()
            if now < self._ask_again_at:
                return False
            if self._ask_again_at:
                self._ask_again_at = now + PAUSE
            return True

    def begin(self, error: Exception) -> None:
        """Note that Redis has failed."""
        with self._lock:
            now = time.monotonic()
            self._ask_again_at = now + PAUSE
            if now - self._said_at < QUIET:
                return
            self._said_at = now
        log.warning("Redis is away, the process's own memory is the cache meanwhile: %s", error)

    def end(self) -> None:
        """Note that Redis has answered."""
        self._ask_again_at = 0.0


class KeptClient(RedisCacheClient):
    """Django's client for Redis, which does not make an object anew for every command."""

    def __init__(self, servers: list[str]) -> None:
        retry = Retry(NoBackoff(), 1)  # for a stale connection
        super().__init__(servers, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=retry)
        self._made: dict[int, Redis] = {}

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:  # noqa: ANN401, ARG002 - Django's
        """The one that all threads use for this server."""
        index: int = self._get_connection_pool_index(write)  # type: ignore[attr-defined] # unknown to the stubs
        made = self._made.get(index)
        return made or self._made.setdefault(index, super().get_client(write=write))


@functools.cache
def client_of(*servers: str) -> KeptClient:
    """The process's client for these servers, with its connections.

    Django makes a cache object for every request that is served from an event loop; one that brought a client of its
    own would connect anew each time, which costs more than most pages do otherwise.
    """
    return KeptClient(list(servers))


class TolerantRedisCache(RedisCache):
    """Django's Redis cache, which falls back to memory instead of raising while Redis is away."""

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
