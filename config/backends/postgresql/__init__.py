"""Django's PostgreSQL with time limits and a circuit breaker; a database's `ENGINE` names this package."""
