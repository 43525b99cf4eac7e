"""One commit of the journal, on PostgreSQL and on SQLite: who wins a number and who loses it.

An insert passes over numbers that are taken, attempts that are closed or paused, and times by a clock that does not
know of a pause; it returns the rows it made; who is not among them has lost. Rows go in ordered, so that two processes
never wait for each other in a circle.
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
from psycopg.pq.abc import PGconn, PGresult

from games.timeouts import database_timeout

log = logging.getLogger(__name__)

#: Waits before each further try, in seconds: a database that restarts is back within these, or the moves are refused.
RETRY_AFTER: Final = (0.0, 0.1, 0.3, 0.6, 1.0, 1.0, 1.0, 1.0)
#: Seconds after which no further try is made, and those that one statement may take.
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
"""Attempt, number, token, milliseconds, auto, the pauses that the milliseconds leave out."""


class Entry(NamedTuple):
    """The next tokens of one attempt, numbered from `n`, all received at `ms`; `auto` when the server plays them.

    `paused_ms` are the pauses that `ms` leaves out.
    """

    attempt_id: int
    n: int
    tokens: tuple[str, ...]
    ms: int
    auto: bool = False
    paused_ms: int = 0

    def rows(self) -> Iterator[Row]:
        """The rows of the journal that it comes to."""
        for place, token in enumerate(self.tokens):
            yield self.attempt_id, self.n + place, token, self.ms, self.auto, self.paused_ms


class JournalStore:
    """Writes batches on a connection of its own; used by one thread."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._connection: BaseDatabaseWrapper | None = None

    def write(self, entries: Sequence[Entry]) -> frozenset[int]:
        """Commit the entries, at most one an attempt; returns the attempts that lost, of which nothing was written.

        A connection that breaks is made anew and the batch tried again. The commit may have passed before it broke:
        rows that are found as they should be are not lost.

        :raises Error: when no try went well.
        """
        latest = time.monotonic() + PATIENCE
        for pause in RETRY_AFTER:
            try:
                return self._try(entries)
            except (OperationalError, InterfaceError) as error:
                self.close()
                if time.monotonic() + pause > latest:
                    raise
                log.warning("journal commit failed, trying again: %s", error.__class__.__name__)
                time.sleep(pause)
        return self._try(entries)

    def close(self) -> None:
        """Give the connection up; the next write makes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # noqa: BLE001 - it is broken, and gone either way
                log.debug("broken connection not closed")

    def _try(self, entries: Sequence[Entry]) -> frozenset[int]:
        if self._connection is None:
            self._connection = _own_connection(self._alias)
        rows = sorted(row for entry in entries for row in entry.rows())
        with database_timeout(STATEMENT_SECONDS):
            if len(rows) != len(entries):
                return _write_runs(self._connection, rows)
            # The usual batch: one statement that is its own transaction.
            missing = _missing(rows, _insert(self._connection, rows))
            return _really_lost(self._connection, rows, missing) if missing else missing


def _own_connection(alias: str) -> BaseDatabaseWrapper:
    """A connection outside the pool: held for good, and refused at once while the database is down."""
    connection = connections.create_connection(alias)
    options = {name: value for name, value in connection.settings_dict["OPTIONS"].items() if name != "pool"}
    connection.settings_dict = {**connection.settings_dict, "OPTIONS": options}
    return connection


def _write_runs(connection: BaseDatabaseWrapper, rows: list[Row]) -> frozenset[int]:
    """Insert where an attempt has several rows: one that loses any of them keeps none."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN" if connection.vendor == "postgresql" else "BEGIN IMMEDIATE")
        try:
            made = _insert(connection, rows)
            lost = _missing(rows, made)
            if lost:
                lost = _really_lost(connection, rows, lost)
                for attempt_id, n in made:
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
        return _insert_at_once(connection, rows)
    with connection.cursor() as cursor:
        cursor.execute(_SQLITE, [json.dumps(rows)])
        made: list[tuple[int, int]] = cursor.fetchall()
        return made


def _insert_at_once(connection: BaseDatabaseWrapper, rows: list[Row]) -> list[tuple[int, int]]:
    """Insert on PostgreSQL by libpq's own functions: a cursor takes twice as long as all the rest.

    The arrays are written out here. No token has a character that would need quoting.
    """
    given = [f"{{{','.join(map(str, column))}}}".encode() for column in zip(*rows, strict=True)]
    with connection.wrap_database_errors:
        connection.ensure_connection()
        libpq = connection.connection.pgconn
        libpq.send_query_params(_POSTGRESQL, given)
        (result,) = connection.connection.wait(execute(libpq))
        if result.status != ExecStatus.TUPLES_OK:
            raise _failure(libpq, result)
    return [(int(result.get_value(row, 0)), int(result.get_value(row, 1))) for row in range(result.ntuples)]


def _failure(libpq: PGconn, result: PGresult) -> psycopg.Error:
    """What psycopg would raise."""
    if libpq.status != ConnStatus.OK:
        return psycopg.OperationalError("the connection is lost")
    return psycopg.errors.error_from_result(result)


def _missing(rows: list[Row], made: list[tuple[int, int]]) -> frozenset[int]:
    """The attempts of which not every row was made."""
    if len(made) == len(rows):
        return frozenset()
    there = set(made)
    return frozenset(row[0] for row in rows if row[:2] not in there)


def _really_lost(connection: BaseDatabaseWrapper, rows: list[Row], missing: frozenset[int]) -> frozenset[int]:
    """Of the attempts `missing`, those whose rows are not in the journal exactly so."""
    marks = ", ".join(["%s"] * len(missing))
    first = min(row[1] for row in rows if row[0] in missing)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT attempt_id, n, token, ms FROM games_move WHERE attempt_id IN ({marks}) AND n >= %s",  # noqa: S608
            [*missing, first],
        )
        there = set(cursor.fetchall())
    return frozenset(row[0] for row in rows if row[0] in missing and row[:4] not in there)
