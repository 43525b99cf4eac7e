"""Statement batching: several SQL statements run in order, in one round trip where possible."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from django.db import connection
from django.db.models import DateField, DateTimeField

from games.db.replicas.router import connection_to_read

_TIME: Final = DateTimeField()
_DATE: Final = DateField()

Statement = tuple[str, Sequence[Any]]
"""SQL and its parameters."""


def run_in_order(statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
    """Run the statements in order and return the rows of each; statements that write need a transaction.

    PostgreSQL gets them all at once, which saves most of a short transaction's time. SQLite has no round trips to save.
    """
    with connection_to_read().cursor() as cursor:
        if connection.vendor != "postgresql":
            return [_rows(cursor, statement) for statement in statements]
        cursor.execute("; ".join(sql for sql, _ in statements), [param for _, params in statements for param in params])
        results = [_fetched_there(cursor)]
        while cursor.nextset():
            results.append(_fetched_there(cursor))
        return results


def read_time(value: datetime | str | None) -> datetime | None:
    """Convert a time from a raw query to an aware UTC datetime; SQLite returns text, or times without a zone."""
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    return time if time is None or time.tzinfo is not None else time.replace(tzinfo=UTC)


def stored(value: object) -> object:
    """Convert a value to a parameter of a raw statement."""
    if isinstance(value, datetime):
        return _TIME.get_db_prep_value(value, connection)
    return _DATE.get_db_prep_value(value, connection) if isinstance(value, date) else value


def _rows(cursor: Any, statement: Statement) -> list[tuple[Any, ...]]:  # noqa: ANN401 - Django's cursor
    cursor.execute(*statement)
    return list(cursor.fetchall()) if cursor.description else []


def _fetched_there(cursor: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """Fetch the rows on PostgreSQL without `description`, which costs as much as running a short statement."""
    return list(cursor.fetchall()) if cursor.pgresult.nfields else []
