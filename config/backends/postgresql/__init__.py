"""PostgreSQL backend with timeouts and a circuit breaker, selected by a database's `ENGINE`."""
