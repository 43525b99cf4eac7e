"""The cache of the production shape: Redis, and the process's own memory while Redis is away.

What is kept here are counts and caches, never a fact, so no page may fail for want of it.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

#: Seconds that Redis has to answer; it is near, and somebody waits for a page.
TIMEOUT: Final = 0.5
#: Seconds for which it is not asked again after it has failed.
PAUSE: Final = 5.0
#: Most entries in the memory of a process; a count that falls out begins afresh.
ENTRIES: Final = 10_000
#: Seconds between two lines of the log that say so.
QUIET: Final = 60.0

_METHODS: Final = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear"
)  # fmt: skip


class Outage:
    """Whether Redis is away, as far as this process knows: Django keeps a cache object for each thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask_again_at = 0.0
        self._said_at = -QUIET

    def may_ask(self) -> bool:
        """Whether to try Redis. During an outage one caller at a time does, and the others are not held up."""
        with self._lock:
            now = time.monotonic()
            if now < self._ask_again_at:
                return False
            if self._ask_again_at:
                self._ask_again_at = now + PAUSE
            return True

    def begin(self, error: Exception) -> None:
        """It has failed."""
        with self._lock:
            now = time.monotonic()
            self._ask_again_at = now + PAUSE
            if now - self._said_at < QUIET:
                return
            self._said_at = now
        log.warning("Redis is away, the process's own memory is the cache meanwhile: %s", error)

    def end(self) -> None:
        """It has answered."""
        self._ask_again_at = 0.0


class TolerantRedisCache(RedisCache):
    """Django's Redis cache, which answers from memory instead of raising while Redis is away."""

    outage: Final = Outage()

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {
            "socket_timeout": TIMEOUT,
            "socket_connect_timeout": TIMEOUT,
            "retry": Retry(NoBackoff(), 1),  # for a connection that went stale
            **params.get("OPTIONS", {}),
        }
        super().__init__(server, params | {"OPTIONS": options})
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
