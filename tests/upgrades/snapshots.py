"""Rows of a whole database, read with plain SQL and without the site's code, and what an upgrade did to them.

An upgrade may add tables, columns and rows. It may not change or remove any other row or value, except as listed here.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final, NamedTuple

import psycopg

#: Tables of Django's own about the code, not about the site.
IGNORED: Final = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}
SQLITE_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"
#: Without partitions, whose rows the partitioned table has.
POSTGRES_TABLES: Final = """
    SELECT relname FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
"""
#: Columns that an upgrade changes on purpose, with the reason.
RECOMPUTED: Final = {"races_entrant.state": "racers of waiting races are no longer joined or ready"}
#: Rows that an upgrade deletes on purpose: those with no value in this column.
DELETED: Final = {"puzzles_stormrun": "begun_at"}  # storms that never began are drawn anew


class Rows(NamedTuple):
    """A table's columns, and its rows in any order."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


Snapshot = dict[str, Rows]


def snapshot(url: str) -> Snapshot:
    """Return all rows of a PostgreSQL database, or of an SQLite file (`sqlite:///path`)."""
    with _opened(url) as database:
        return dict(_tables(database, SQLITE_TABLES if isinstance(database, sqlite3.Connection) else POSTGRES_TABLES))


def applied(url: str) -> set[tuple[str, str]]:
    """Return the names of a database's migrations, by app."""
    with _opened(url) as database:
        return set(database.execute("SELECT app, name FROM django_migrations").fetchall())


def _opened(url: str) -> closing[Any]:
    is_file = url.startswith("sqlite")
    return closing(sqlite3.connect(url.removeprefix("sqlite:///")) if is_file else psycopg.connect(url))


def _tables(database: Any, names: str) -> Iterator[tuple[str, Rows]]:
    for (name,) in database.execute(names).fetchall():
        if name not in IGNORED:
            found = database.execute(f'SELECT * FROM "{name}"')
            rows = [tuple(_plain(value) for value in row) for row in found.fetchall()]
            yield name, Rows(tuple(column[0] for column in found.description), rows)


def _plain(value: object) -> object:
    """Return the value in a form that can be counted: JSON values are unhashable."""
    return repr(value) if isinstance(value, dict | list) else value


def losses(before: Snapshot, after: Snapshot) -> list[str]:
    """Return what an upgrade changed or removed without being listed above, one line for each table."""
    return [line for table, rows in sorted(before.items()) for line in _lost(table, rows, after)]


def _lost(table: str, before: Rows, after: Snapshot) -> Iterator[str]:
    new = after.get(table)
    if new is None:
        if before.rows:
            yield f"{table}: gone, with {len(before.rows)} rows"
        return
    if empty := DELETED.get(table):
        at = before.columns.index(empty)
        before = Rows(before.columns, [row for row in before.rows if row[at] is not None])
    wanted = [column for column in before.columns if f"{table}.{column}" not in RECOMPUTED]
    gone = [column for column in wanted if column not in new.columns]
    yield from (f"{table}.{column}: gone" for column in gone)
    columns = [column for column in wanted if column not in gone]
    if missing := _chosen(before, columns) - _chosen(new, columns):
        example = dict(zip(columns, next(iter(missing)), strict=True))
        yield f"{table}: {missing.total()} of {len(before.rows)} rows changed or gone, such as {example}"


def _chosen(table: Rows, columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    places = [table.columns.index(column) for column in columns]
    return Counter(tuple(row[n] for n in places) for row in table.rows)
