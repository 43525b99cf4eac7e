"""Which database the code that runs now reads from: the primary, unless a view has asked for a replica."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction

PRIMARY: Final = DEFAULT_DB_ALIAS

_replica: ContextVar[str | None] = ContextVar("replica", default=None)


@contextmanager
def reading_from(alias: str) -> Iterator[None]:
    """Have what is read meanwhile, here, be read from this database."""
    token = _replica.set(alias)
    try:
        yield
    finally:
        _replica.reset(token)


@contextmanager
def reading_primary() -> Iterator[None]:
    """Have what decides or is kept for later be read from the primary, whoever asks."""
    token = _replica.set(None)
    try:
        yield
    finally:
        _replica.reset(token)


def source() -> str:
    """The alias of the database to read from now: the primary also within a transaction, which is on it."""
    alias = _replica.get()
    if alias is None or transaction.get_connection(PRIMARY).in_atomic_block:
        return PRIMARY
    return alias


def connection_to_read() -> Any:  # noqa: ANN401 - Django's
    """The connection for statements that only read."""
    return connections[source()]


class Router:
    """Django's side of it. Nothing but queries knows that there are replicas: they hold the same rows."""

    def db_for_read(self, _model: Any, **_hints: Any) -> str:  # noqa: ANN401
        """Where a query goes."""
        return source()

    def db_for_write(self, _model: Any, **_hints: Any) -> str:  # noqa: ANN401
        """Where rows are written and locked, wherever they were read."""
        return PRIMARY

    def allow_relation(self, _one: Any, _other: Any, **_hints: Any) -> bool:  # noqa: ANN401
        """Rows belong together wherever they were read."""
        return True

    def allow_migrate(self, alias: str, _app: str, **_hints: Any) -> bool:  # noqa: ANN401
        """Tables come to replicas by themselves."""
        return alias == PRIMARY
