"""Journal writes on PostgreSQL and SQLite: one statement inserts a batch and decides which process wins each number.

The insert skips numbers already taken, attempts that are closed or paused, and entries timed by a clock that missed a
pause. It returns the rows it inserted; entries that are missing have lost. Rows are inserted in order so that two
processes cannot deadlock.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import psycopg
from django.db import Error, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.generators import execute
from psycopg.pq import ConnStatus, ExecStatus

from games.db.timeouts import database_timeout

log = logging.getLogger(__name__)

#: Seconds to wait before each retry, enough to bridge a database restart; after the last one the moves are refused.
RETRY_AFTER: Final = (0.0, 0.1, 0.3, 0.6, 1.0, 1.0, 1.0, 1.0)
#: Seconds after which no retry starts, and the timeout of one statement.
PATIENCE: Final = 5.0
STATEMENT_SECONDS: Final = 3.0

_POSTGRESQL: Final = b"""
INSERT INTO games_move (attempt_id, n, token, ms, auto)
SELECT r.attempt_id, r.n, r.token, r.ms, r.auto
FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::bool[], $6::bigint[])
     AS r (attempt_id, n, token, ms, auto, paused_ms)
JOIN games_attempt a ON a.id = r.attempt_id AND a.state = 'playing'
     AND a.paused_at IS NULL AND a.paused_ms = r.paused_ms
ORDER BY r.attempt_id, r.n
ON CONFLICT DO NOTHING
RETURNING attempt_id, n
"""

_SQLITE: Final = """
INSERT INTO games_move (attempt_id, n, token, ms, auto)
SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2, r.value ->> 3, r.value ->> 4
FROM json_each(%s) AS r
JOIN games_attempt a ON a.id = r.value ->> 0 AND a.state = 'playing'
     AND a.paused_at IS NULL AND a.paused_ms = r.value ->> 5
WHERE true
ON CONFLICT DO NOTHING
RETURNING attempt_id, n
"""


Row = tuple[int, int, str, int, bool, int]
"""Attempt id, number, token, clock in ms, auto flag, and the ms of pauses excluded from the clock."""


class JournalEntry(NamedTuple):
    """The next tokens of an attempt, numbered from `n` and all received at `ms`; `auto` if the server plays them.

    `paused_ms` is the total length of the pauses that `ms` excludes.
    """

    attempt_id: int
    n: int
    tokens: tuple[str, ...]
    ms: int
    auto: bool = False
    paused_ms: int = 0

    def rows(self) -> Iterator[Row]:
        """Yield one journal row per token."""
        for index, token in enumerate(self.tokens):
            yield self.attempt_id, self.n + index, token, self.ms, self.auto, self.paused_ms


class JournalStore:
    """A batch writer with its own database connection; used by one thread."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._connection: BaseDatabaseWrapper | None = None

    def write(self, entries: Sequence[JournalEntry]) -> frozenset[int]:
        """Commit the entries, at most one per attempt, and return the attempts that lost and had nothing written.

        If the connection breaks, reconnect and retry the batch. The broken commit may have succeeded, so an entry whose
        rows are already in the journal does not count as lost.

        :raises Error: if every try fails.
        """
        latest = time.monotonic() + PATIENCE
        for pause in RETRY_AFTER:
            try:
                return self._try(entries)
            except (OperationalError, InterfaceError) as error:
                self.close()
                if time.monotonic() + pause > latest:
                    raise
                log.warning("journal commit failed, trying again: %s", error)
                time.sleep(pause)
        return self._try(entries)

    def close(self) -> None:
        """Close the connection; the next write opens a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # noqa: BLE001 - the connection is discarded either way
                log.debug("broken connection not closed")

    def _try(self, entries: Sequence[JournalEntry]) -> frozenset[int]:
        if self._connection is None:
            self._connection = _own_connection(self._alias)
        rows = sorted(row for entry in entries for row in entry.rows())
        with database_timeout(STATEMENT_SECONDS):
            if len(rows) != len(entries):
                return _write_runs(self._connection, rows)
            # The usual batch has one token per attempt: a single statement in its own transaction.
            missing = _missing(rows, _insert(self._connection, rows))
            return _not_in_journal(self._connection, rows, missing) if missing else missing


def _own_connection(alias: str) -> BaseDatabaseWrapper:
    """Return a connection outside the pool: it is held permanently, and must fail fast while the database is down."""
    connection = connections.create_connection(alias)
    options = {name: value for name, value in connection.settings_dict["OPTIONS"].items() if name != "pool"}
    connection.settings_dict = {**connection.settings_dict, "OPTIONS": options}
    return connection


def _write_runs(connection: BaseDatabaseWrapper, rows: list[Row]) -> frozenset[int]:
    """Insert a batch in which an attempt has several rows; an attempt that loses one row keeps none."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN" if connection.vendor == "postgresql" else "BEGIN IMMEDIATE")
        try:
            inserted = _insert(connection, rows)
            lost = _missing(rows, inserted)
            if lost:
                lost = _not_in_journal(connection, rows, lost)
                for attempt_id, n in inserted:
                    if attempt_id in lost:
                        cursor.execute("DELETE FROM games_move WHERE attempt_id = %s AND n = %s", [attempt_id, n])
            cursor.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(Error):
                cursor.execute("ROLLBACK")
            raise
    return lost


def _insert(connection: BaseDatabaseWrapper, rows: list[Row]) -> list[tuple[int, int]]:
    if connection.vendor == "postgresql":
        return _insert_with_libpq(connection, rows)
    with connection.cursor() as cursor:
        cursor.execute(_SQLITE, [json.dumps(rows)])
        inserted: list[tuple[int, int]] = cursor.fetchall()
        return inserted


def _insert_with_libpq(connection: BaseDatabaseWrapper, rows: list[Row]) -> list[tuple[int, int]]:
    """Insert on PostgreSQL through libpq directly: a cursor takes twice as long as everything else together.

    The array literals are built here; no token contains a character that needs quoting.
    """
    parameters = [f"{{{','.join(map(str, column))}}}".encode() for column in zip(*rows, strict=True)]
    with connection.wrap_database_errors:
        connection.ensure_connection()
        libpq = connection.connection.pgconn
        libpq.send_query_params(_POSTGRESQL, parameters)
        (result,) = connection.connection.wait(execute(libpq))
        if result.status != ExecStatus.TUPLES_OK:
            if libpq.status != ConnStatus.OK:
                raise psycopg.OperationalError("the connection was lost")
            raise psycopg.errors.error_from_result(result)
    return [(int(result.get_value(row, 0)), int(result.get_value(row, 1))) for row in range(result.ntuples)]


def _missing(rows: list[Row], inserted: list[tuple[int, int]]) -> frozenset[int]:
    """Return the attempts with at least one row that was not inserted."""
    if len(inserted) == len(rows):
        return frozenset()
    keys = set(inserted)
    return frozenset(row[0] for row in rows if row[:2] not in keys)


def _not_in_journal(connection: BaseDatabaseWrapper, rows: list[Row], missing: frozenset[int]) -> frozenset[int]:
    """Return the attempts in `missing` whose exact rows are not in the journal."""
    marks = ", ".join(["%s"] * len(missing))
    first = min(row[1] for row in rows if row[0] in missing)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT attempt_id, n, token, ms FROM games_move WHERE attempt_id IN ({marks}) AND n >= %s",  # noqa: S608
            [*missing, first],
        )
        existing = set(cursor.fetchall())
    return frozenset(row[0] for row in rows if row[0] in missing and row[:4] not in existing)
