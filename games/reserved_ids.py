"""Reserved primary keys, so that related rows can be inserted in one round trip."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import Final, Generic, TypeVar

from django.db import connection, transaction
from django.db.models import Model

_Row = TypeVar("_Row", bound=Model)

#: Keys reserved at a time on PostgreSQL; a process that ends leaves its remaining ones unused.
AT_A_TIME: Final = 64

_POSTGRESQL: Final = "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)"
_SQLITE: Final = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = %s RETURNING seq"
_SQLITE_FIRST: Final = "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, 1) RETURNING seq"


class ReservedIds(Generic[_Row]):
    """Pool of reserved primary keys for one model."""

    def __init__(self, model: type[_Row]) -> None:
        self._model = model
        self._forget()
        os.register_at_fork(after_in_child=self._forget)  # the parent keeps its keys

    def take(self) -> int:
        """Return an unused key, reserving more from the database when the pool is empty."""
        if connection.vendor != "postgresql":
            return self._next()
        with self._lock:
            left = self._left.setdefault(str(connection.settings_dict["NAME"]), deque())
            if not left:
                left.extend(self._several())
            return left.popleft()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._left: dict[str, deque[int]] = {}

    def _several(self) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL, [f'"{self._table}"', self._model._meta.pk.column, AT_A_TIME])
            return [row[0] for row in cursor.fetchall()]

    def _next(self) -> int:
        """Return the next key on SQLite, which reuses keys after a rollback, so none can be pooled."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_SQLITE, [self._table])
            found = cursor.fetchall()
            if not found:
                cursor.execute(_SQLITE_FIRST, [self._table])
                found = cursor.fetchall()
            number: int = found[0][0]
            return number

    @property
    def _table(self) -> str:
        return self._model._meta.db_table
