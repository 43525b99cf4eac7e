"""Database routing for reads: the primary, unless a view has selected a replica for the current context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction

PRIMARY: Final = DEFAULT_DB_ALIAS

_source: ContextVar[str] = ContextVar("source", default=PRIMARY)


@contextmanager
def reading_from(alias: str) -> Iterator[None]:
    """Read from this database inside the block, in this context."""
    token = _source.set(alias)
    try:
        yield
    finally:
        _source.reset(token)


def reading_primary() -> AbstractContextManager[None]:
    """Read from the primary inside the block, for reads that decide something or whose results are stored."""
    return reading_from(PRIMARY)


def source() -> str:
    """Return the alias of the database to read from; inside a transaction always the primary, which it runs on."""
    alias = _source.get()
    if alias == PRIMARY or transaction.get_connection(PRIMARY).in_atomic_block:
        return PRIMARY
    return alias


def connection_to_read() -> Any:  # noqa: ANN401 - Django's
    """Return the connection for read-only statements."""
    return connections[source()]


class Router:
    """Django database router. Only queries are routed; the replicas hold the same rows as the primary."""

    def db_for_read(self, _model: Any, **_hints: Any) -> str:  # noqa: ANN401
        """Return the database for a read."""
        return source()

    def db_for_write(self, _model: Any, **_hints: Any) -> str:  # noqa: ANN401
        """Return the primary: rows are written and locked there, wherever they were read."""
        return PRIMARY

    def allow_relation(self, _one: Any, _other: Any, **_hints: Any) -> bool:  # noqa: ANN401
        """Return True: rows may be related wherever they were read."""
        return True

    def allow_migrate(self, alias: str, _app: str, **_hints: Any) -> bool:  # noqa: ANN401
        """Migrate only the primary; replication brings the tables to the replicas."""
        return alias == PRIMARY
