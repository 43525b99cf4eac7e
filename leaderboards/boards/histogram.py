"""Histogram of rank keys: a radix tree in SQL that counts the entries ahead without reading them all.

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

from django.db.models import QuerySet

from games.db.replicas.router import connection_to_read
from games.db.statements import Statement, run_in_order, stored
from leaderboards.boards.listings import Listing, Position
from leaderboards.boards.rank_keys import Layout
from leaderboards.models import Bucket, Ranked

_ROWS_A_STATEMENT = 150  # SQLite takes 999 parameters in its oldest builds; a row has five


def count(changes: Iterable[tuple[Listing, int, int]]) -> None:
    """Add `step` (1 or -1) to every bucket on the path of each key: `changes` are (listing, key, step)."""
    if statements := count_statements(changes):
        run_in_order(statements)


def count_statements(changes: Iterable[tuple[Listing, int, int]]) -> list[Statement]:
    """Return the statements of `count`.

    Buckets are written in sorted order, so that two transactions without a common lock still cannot deadlock.
    """
    tables: dict[tuple[str, str], Counter[tuple[int, int, int, int]]] = {}
    for listing, key, step in changes:
        steps = tables.setdefault((listing.buckets._meta.db_table, listing.scope_column), Counter())
        for level, shift in enumerate(listing.layout.shifts):
            steps[listing.scope, listing.code, level, key >> shift] += step
    statements: list[Statement] = []
    for (table, scope_column), steps in sorted(tables.items()):
        rows = sorted((bucket, step) for bucket, step in steps.items() if step)
        for start in range(0, len(rows), _ROWS_A_STATEMENT):
            part = rows[start : start + _ROWS_A_STATEMENT]
            params = [figure for bucket, step in part for figure in (*bucket, step)]
            statements.append((_insert_sql(table, scope_column, len(part)), params))
    return statements


@cache
def _insert_sql(table: str, scope_column: str, rows: int) -> str:
    values = ", ".join(["(%s, %s, %s, %s, %s)"] * rows)
    return (
        f"INSERT INTO {table} ({scope_column}, board, level, prefix, entries) VALUES {values} "  # noqa: S608 - own names
        f"ON CONFLICT ({scope_column}, board, level, prefix) DO UPDATE SET entries = {table}.entries + EXCLUDED.entries"
    )


def ahead(listing: Listing, position: Position) -> int:
    """Return the number of listed entries before `position`."""
    return _counts(*ahead_sql(listing, position))[0]


def ahead_of_all(listing: Listing, position: Position) -> list[int]:
    """Return the number of listed entries before `position`, and of all of them, from one snapshot of the board."""
    sql, params = ahead_sql(listing, position)
    return _counts(f"{sql}, {total_sql(listing)}", [*params, listing.scope, listing.code])


def _counts(expressions: str, params: list[Any]) -> list[int]:
    with connection_to_read().cursor() as cursor:
        cursor.execute(f"SELECT {expressions}", params)
        return [int(count) for count in cursor.fetchone()]


def ahead_sql(listing: Listing, position: Position, *, inclusive: bool = False) -> tuple[str, list[Any]]:
    """Return one SQL expression, and thus one snapshot, for the number of entries before `position`, or up to it."""
    key = position[0]
    assert isinstance(key, int)
    params: list[Any] = []
    coarser: int | None = None
    for level, shift in enumerate(listing.layout.shifts):
        first = 0 if coarser is None else (key >> coarser) << (coarser - shift)
        params += [listing.scope, listing.code, level, first, key >> shift]
        coarser = shift
    params += [*listing.scopes, key >> (coarser or 0) << (coarser or 0), key, *(stored(value) for value in position)]
    return _ahead_sql(listing.layout, listing.entries, listing.buckets, listing.scope_column, listing.where).replace(
        "<=>", "<=" if inclusive else "<"
    ), params


@cache
def _ahead_sql(layout: Layout, entries: type[Ranked], buckets: type[Bucket], scope_column: str, where: str) -> str:
    columns = (layout.key, *layout.ties)
    siblings = (
        f"(SELECT COALESCE(SUM(entries), 0) FROM {buckets._meta.db_table} WHERE {scope_column} = %s "  # noqa: S608
        "AND board = %s AND level = %s AND prefix >= %s AND prefix < %s)"
    )
    inside = (
        f"(SELECT COUNT(*) FROM {entries._meta.db_table} WHERE {where} AND listed "  # noqa: S608
        # The upper bound is implied, but without it the planner expects a large part of the table.
        f"AND {columns[0]} >= %s AND {columns[0]} <= %s "
        f"AND ({', '.join(columns)}) <=> ({', '.join(['%s'] * len(columns))}))"
    )
    return " + ".join([*[siblings] * len(layout.shifts), inside])


def total_sql(listing: Listing) -> str:
    """Return an expression for the number of listed entries; its parameters are the scope and the board's code."""
    return (
        f"(SELECT COALESCE(SUM(entries), 0) FROM {listing.buckets._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {listing.scope_column} = %s AND board = %s AND level = 0)"
    )


def total(listing: Listing) -> int:
    """Return the number of listed entries."""
    return _counts(total_sql(listing), [listing.scope, listing.code])[0]


def counted(listing: Listing, level: int, first: int, end: int) -> list[tuple[int, int]]:
    """Return the buckets (prefix, entries) of one level in order, from the prefix `first` up to but excluding `end`."""
    within = _buckets(listing).filter(level=level, prefix__gte=first, prefix__lt=end, entries__gt=0)
    return list(within.order_by("prefix").values_list("prefix", "entries"))


def faults(listing: Listing) -> list[str]:
    """List the differences between the stored counts and a fresh count; empty if they are right."""
    fresh = _counted(listing)
    rows = _buckets(listing).exclude(entries=0).values_list("level", "prefix", "entries")
    stored = Counter({(level, prefix): entries for level, prefix, entries in rows})
    return [
        f"level {level}, prefix {prefix}: {stored[level, prefix]} kept, {fresh[level, prefix]} counted"
        for level, prefix in sorted(fresh.keys() | stored.keys())
        if fresh[level, prefix] != stored[level, prefix]
    ]


def rebuild(listing: Listing) -> None:
    """Rebuild the counts. The caller holds the board's lock."""
    _buckets(listing).delete()
    bucket: Any = listing.buckets
    scope = {listing.scope_column: listing.scope, "board": listing.code}
    rows = [
        bucket(**scope, level=level, prefix=prefix, entries=entries)
        for (level, prefix), entries in _counted(listing).items()
    ]
    bucket.objects.bulk_create(rows, batch_size=5_000)


def _buckets(listing: Listing) -> QuerySet[Any]:
    return listing.buckets.objects.filter(**{listing.scope_column: listing.scope}, board=listing.code)


def _counted(listing: Listing) -> Counter[tuple[int, int]]:
    fresh: Counter[tuple[int, int]] = Counter()
    for key in listing.listed().values_list(listing.layout.key, flat=True).iterator(chunk_size=10_000):
        for level, shift in enumerate(listing.layout.shifts):
            fresh[level, key >> shift] += 1
    return fresh
