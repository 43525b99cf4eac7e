"""Client-side statement timeout for database calls while a visitor waits.

PostgreSQL's own `statement_timeout` ends a slow query, but not the wait for a frozen or unreachable server. The client
therefore enforces the limit, by closing the connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import psycopg
from django.db import connections
from psycopg.abc import PQGen

#: Connection parameters that only Django's own connections use.
_DJANGO: Final = {"context", "cursor_factory", "prepare_threshold", "client_encoding"}
#: Seconds that one statement may take while a visitor waits.
STATEMENT_SECONDS: Final = 4.0

_Result = TypeVar("_Result")

_seconds: ContextVar[float | None] = ContextVar("database_seconds", default=None)


@contextmanager
def database_timeout(seconds: float = STATEMENT_SECONDS) -> Iterator[None]:
    """Limit the duration of each statement inside the block, in this context; workers and commands have no limit."""
    token = _seconds.set(seconds)
    try:
        yield
    finally:
        _seconds.reset(token)


class TimedConnection(psycopg.Connection[Any]):
    """PostgreSQL connection that enforces `database_timeout`."""

    def wait(self, gen: PQGen[_Result], interval: float = 0.1, timeout: float | None = None) -> _Result:
        """Wait for the server's answer.

        :raises OperationalError: when the time is up; the connection is closed then.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        seconds = _seconds.get()
        try:
            return super().wait(gen, interval, seconds)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - what `wait` is documented to raise
            self.pgconn.finish()
            raise psycopg.OperationalError(f"the database has not answered within {seconds} s") from None


def connect_directly(alias: str) -> psycopg.Connection[Any]:
    """Open a connection outside the pool, for a monitor that must not wait for a pooled one."""
    parameters: Any = connections[alias].get_connection_params()
    options: dict[str, Any] = {name: value for name, value in parameters.items() if name not in _DJANGO}
    options |= {"connect_timeout": 2, "tcp_user_timeout": 2000, "prepare_threshold": None}  # as PgBouncer needs it
    return TimedConnection.connect(autocommit=True, **options)
