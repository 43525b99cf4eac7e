"""Django's PostgreSQL backend behind a circuit breaker.

A request takes a connection at its beginning, and the pool tries each one before it hands it out
(`CONN_HEALTH_CHECKS`). That is where a server that is away is noticed, and where requests fail at once while it stays
away. Neither the pool nor psycopg has a limit for a server that takes connections and never answers.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base
from pybreaker import CircuitBreakerError

from config.circuit_breaker import database
from games.timeouts import TimedConnection, database_timeout

#: Seconds that the server has to answer when a connection is tried.
CHECK_SECONDS: Final = 1.5


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    Database: Any = SimpleNamespace(**{**vars(psycopg), "connect": TimedConnection.connect})

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # noqa: ANN401 - psycopg's
        """Take a connection from the pool, or make one where there is no pool.

        :raises OperationalError: at once while the database is known to be away.
        """
        connect = super().get_new_connection
        try:
            with database_timeout(CHECK_SECONDS):
                return database.call(lambda: connect(conn_params))
        except CircuitBreakerError as error:
            raise psycopg.OperationalError("the database is away") from error
