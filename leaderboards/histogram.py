"""Counts the entries ahead without reading them all: a radix tree over the rank keys, kept in SQL.

Level 0 counts the entries by the coarsest prefix of their key, and each further level splits the buckets of the one
before. The entries ahead of a key are its earlier siblings on the path through the tree, plus the entries before it in
its finest bucket: about a hundred small rows and a thousand index entries, however many entries there are.

The counts change in the transaction that lists or removes an entry, under the lock of its board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import connection

from games.statements import Statement, run_in_order, stored
from leaderboards.ladders import Ladder, Position
from leaderboards.models import Bucket, Ranked

_ROWS_A_STATEMENT = 150  # SQLite takes 999 parameters in its oldest builds; a row has five


def count(changes: Iterable[tuple[Ladder, int, int]]) -> None:
    """Add `step` (1 or -1) to every bucket on the path of each key: `changes` are (ladder, key, step)."""
    if statements := counting(changes):
        run_in_order(statements)


def counting(changes: Iterable[tuple[Ladder, int, int]]) -> list[Statement]:
    """The statements of `count`.

    Buckets are written in sorted order, so that two transactions without a common lock still cannot deadlock.
    """
    tables: dict[tuple[str, str], Counter[tuple[int, int, int, int]]] = {}
    for ladder, key, step in changes:
        steps = tables.setdefault((ladder.buckets._meta.db_table, ladder.scope_column), Counter())
        for level, shift in enumerate(ladder.layout.shifts):
            steps[ladder.scope, ladder.layout.code, level, key >> shift] += step
    statements: list[Statement] = []
    for (table, scope_column), steps in sorted(tables.items()):
        rows = sorted((bucket, step) for bucket, step in steps.items() if step)
        for start in range(0, len(rows), _ROWS_A_STATEMENT):
            part = rows[start : start + _ROWS_A_STATEMENT]
            params = [figure for bucket, step in part for figure in (*bucket, step)]
            statements.append((_adding(table, scope_column, len(part)), params))
    return statements


@cache
def _adding(table: str, scope_column: str, rows: int) -> str:
    values = ", ".join(["(%s, %s, %s, %s, %s)"] * rows)
    return (
        f"INSERT INTO {table} ({scope_column}, board, level, prefix, entries) VALUES {values} "  # noqa: S608 - own names
        f"ON CONFLICT ({scope_column}, board, level, prefix) DO UPDATE SET entries = {table}.entries + EXCLUDED.entries"
    )


def ahead(ladder: Ladder, position: Position) -> int:
    """The number of listed entries before `position`."""
    sql, params = ahead_sql(ladder, position)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}", params)
        (found,) = cursor.fetchone()
    return int(found)


def ahead_sql(ladder: Ladder, position: Position, *, inclusive: bool = False) -> tuple[str, list[Any]]:
    """The number of entries before `position`, or up to it, as one SQL expression that sees one state of the board."""
    key = position[0]
    params: list[Any] = []
    coarser: int | None = None
    for level, shift in enumerate(ladder.layout.shifts):
        first = 0 if coarser is None else (key >> coarser) << (coarser - shift)
        params += [ladder.scope, ladder.layout.code, level, first, key >> shift]
        coarser = shift
    params += [ladder.scope, key >> (coarser or 0) << (coarser or 0), key, *(stored(value) for value in position)]
    return _ahead_sql(
        ladder.entries, ladder.buckets, ladder.scope_column, ladder.columns, len(ladder.layout.shifts)
    ).replace("<=>", "<=" if inclusive else "<"), params


@cache
def _ahead_sql(
    entries: type[Ranked], buckets: type[Bucket], scope_column: str, columns: tuple[str, ...], levels: int
) -> str:
    siblings = (
        f"(SELECT COALESCE(SUM(entries), 0) FROM {buckets._meta.db_table} WHERE {scope_column} = %s "  # noqa: S608
        "AND board = %s AND level = %s AND prefix >= %s AND prefix < %s)"
    )
    inside = (
        f"(SELECT COUNT(*) FROM {entries._meta.db_table} WHERE {scope_column} = %s AND listed "  # noqa: S608
        # The upper bound is implied, but without it the planner expects a large part of the table.
        f"AND {columns[0]} >= %s AND {columns[0]} <= %s "
        f"AND ({', '.join(columns)}) <=> ({', '.join(['%s'] * len(columns))}))"
    )
    return " + ".join([*[siblings] * levels, inside])


def total_sql(ladder: Ladder) -> str:
    """The number of listed entries as an expression; its parameters are the scope and the board's code."""
    return (
        f"(SELECT COALESCE(SUM(entries), 0) FROM {ladder.buckets._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {ladder.scope_column} = %s AND board = %s AND level = 0)"
    )


def total(ladder: Ladder) -> int:
    """The number of entries listed."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {total_sql(ladder)}", [ladder.scope, ladder.layout.code])
        (found,) = cursor.fetchone()
    return int(found)


def faults(ladder: Ladder) -> list[str]:
    """Where the counts differ from a fresh count; empty when they are right."""
    fresh = _counted(ladder)
    kept = {
        (level, prefix): entries
        for level, prefix, entries in ladder.buckets.objects.filter(
            **{ladder.scope_column: ladder.scope}, board=ladder.layout.code
        ).values_list("level", "prefix", "entries")
        if entries
    }
    return [
        f"level {level}, prefix {prefix}: {kept.get((level, prefix), 0)} kept, {fresh.get((level, prefix), 0)} counted"
        for level, prefix in sorted(fresh.keys() | kept.keys())
        if fresh.get((level, prefix), 0) != kept.get((level, prefix), 0)
    ]


def rebuild(ladder: Ladder) -> None:
    """Rebuild the counts. The caller holds the board's lock."""
    ladder.buckets.objects.filter(**{ladder.scope_column: ladder.scope}, board=ladder.layout.code).delete()
    bucket: Any = ladder.buckets
    bucket.objects.bulk_create(
        [
            bucket(
                **{ladder.scope_column: ladder.scope},
                board=ladder.layout.code,
                level=level,
                prefix=prefix,
                entries=entries,
            )
            for (level, prefix), entries in _counted(ladder).items()
        ],
        batch_size=5_000,
    )


def _counted(ladder: Ladder) -> Counter[tuple[int, int]]:
    fresh: Counter[tuple[int, int]] = Counter()
    for key in ladder.listed().values_list(ladder.layout.key, flat=True).iterator(chunk_size=10_000):
        for level, shift in enumerate(ladder.layout.shifts):
            fresh[level, key >> shift] += 1
    return fresh
