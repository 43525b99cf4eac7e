"""Django's PostgreSQL backend behind a circuit breaker.

A request takes its connection at the start, and the pool checks each connection before handing it out
(`CONN_HEALTH_CHECKS`). This is where an outage is detected and where requests fail fast while it lasts. Neither the
pool nor psycopg has a timeout for a server that accepts connections and never answers.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base
from pybreaker import CircuitBreakerError

from config.backends.circuit_breaker import database
from games.db.timeouts import TimedConnection, database_timeout

#: Timeout of a connection check, in seconds.
CHECK_SECONDS: Final = 1.5


class DatabaseWrapper(base.DatabaseWrapper):
    """A thread's database connection."""

    Database: Any = SimpleNamespace(**{**vars(psycopg), "connect": TimedConnection.connect})

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # noqa: ANN401 - psycopg's
        """Take a connection from the pool, or open one if there is no pool.

        :raises OperationalError: at once while the circuit is open.
        """
        connect = super().get_new_connection
        try:
            with database_timeout(CHECK_SECONDS):
                return database.call(lambda: connect(conn_params))
        except CircuitBreakerError as error:
            raise psycopg.OperationalError("the database is unavailable") from error
