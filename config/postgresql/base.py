"""Django's PostgreSQL, whose connections are looked at when the pool gives them, and asked only after a while.

The pool's own check asks the server each time, which costs as much as a short read. A server that ends, or ends a
connection, closes it, and that is seen here without asking. Only one that has gone without a word has to be asked, and
whoever goes like that does not come back within seconds.
"""

from __future__ import annotations

import select
import time
from typing import Any, Final

from django.db.backends.postgresql import base

#: Seconds since a connection was last taken from which on the server is asked.
ASKED_AFTER: Final = 5.0


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    @property
    def pool(self) -> Any:  # noqa: ANN401 - psycopg's pool, or None
        """The pool of this process, which does not try connections itself."""
        pool = super().pool
        if pool is not None:
            pool._check = check  # noqa: SLF001 - Django knows of no check but psycopg's
        return pool


def check(connection: Any) -> None:  # noqa: ANN401 - psycopg's
    """Try a connection that the pool is about to give.

    :raises Exception: when it is not usable; the pool makes another in its place.
    """
    now = time.monotonic()
    taken_at = getattr(connection, "taken_at", 0.0)
    connection.taken_at = now
    if now - taken_at > ASKED_AFTER or _has_news(connection):
        connection.execute("")


def _has_news(connection: Any) -> bool:  # noqa: ANN401
    """Whether there is something to be read, which nobody has asked for: that it has been closed, as a rule."""
    looking = select.poll()
    looking.register(connection.pgconn.socket, select.POLLIN)
    return bool(looking.poll(0))
