"""Reading a ladder: the statements behind pages, ranks and neighbourhoods, one or two for each question.

They are written out rather than composed by the ORM, which would take longer over each than the database does. A
stretch of the ladder is cut out by its index first and joined to the players after, so that no statistics lead the
planner astray.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection

from games.models import Attempt
from games.statements import read_time, stored
from leaderboards.histogram import ahead_sql, total_sql
from leaderboards.ladders import Ladder, Position
from leaderboards.models import Result
from leaderboards.pages import Entry

_SHOWN: Final = ("cards_up", "elapsed_ms", "tokens", "finished_at", "id")


class Stretch(NamedTuple):
    """Some neighbouring entries, ranked, and how many the ladder has in all."""

    entries: list[Entry]
    total: int


def first_entries(ladder: Ladder, limit: int) -> Stretch:
    """The best entries."""
    params = [*_total_params(ladder), ladder.scope, limit]
    return _stretch(ladder, 0, _rows(_page_sql(ladder, "", backwards=False), params))


def entries_beside(ladder: Ladder, position: Position, limit: int, *, backwards: bool) -> Stretch:
    """The entries next to a position, after it or before it; the position's own entry, if there is one, is left out."""
    ahead, ahead_params = ahead_sql(ladder, position, inclusive=not backwards)
    values = [stored(value) for value in position]
    params = [*ahead_params, *_total_params(ladder), ladder.scope, *values, limit]
    rows = _rows(_page_sql(ladder, ahead, backwards=backwards), params)
    first = int(rows[0][-2]) if rows else 0
    return _stretch(ladder, first - len(rows) if backwards else first, rows)


def entries_around(ladder: Ladder, player_id: int, span: int) -> list[Entry]:
    """The player's entry with up to `span` entries on each side; empty when the player is not listed."""
    found = position_and_rank(ladder, player_id)
    if found is None:
        return []
    position, rank = found
    values = [stored(value) for value in position]
    params = [*_total_params(ladder), ladder.scope, *values, span, ladder.scope, *values, span + 1]
    rows = _rows(_around_sql(ladder), params)
    before = sum(_position(ladder, row) < position for row in rows)
    return _stretch(ladder, rank - before - 1, rows).entries


def position_and_rank(ladder: Ladder, player_id: int) -> tuple[Position, int] | None:
    """Where the player stands; None when the player is not listed."""
    rows = _rows(_own_sql(ladder), [ladder.scope, player_id])
    if not rows:
        return None
    position = tuple(_read(column, value) for column, value in zip(ladder.columns, rows[0], strict=True))
    sql, params = ahead_sql(ladder, position)
    return position, int(_rows(f"SELECT {sql}", params)[0][0]) + 1


def entries_of(ladder: Ladder, player_ids: Sequence[int], limit: int) -> list[Entry]:
    """The listed entries of some players, ranked among themselves."""
    if not player_ids:
        return []
    table, columns = ladder.entries._meta.db_table, ", ".join(ladder.columns)
    inner = (
        f"SELECT * FROM {table} WHERE {ladder.scope_column} = %s AND listed "  # noqa: S608 - names of our own
        f"AND player_id IN ({', '.join(['%s'] * len(player_ids))}) ORDER BY {columns} LIMIT %s"
    )
    params = [*_total_params(ladder), ladder.scope, *player_ids, limit]
    return _stretch(ladder, 0, _rows(_shown_sql(ladder, "0", inner), params)).entries


def _rows(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _page_sql(ladder: Ladder, ahead: str, *, backwards: bool) -> str:
    side = "" if not ahead else ("<" if backwards else ">")
    return _shown_sql(ladder, ahead or "0", _cut_sql(ladder.entries, ladder.scope_column, ladder.columns, side))


def _around_sql(ladder: Ladder) -> str:
    cuts = [_cut_sql(ladder.entries, ladder.scope_column, ladder.columns, side) for side in ("<", ">=")]
    both = " UNION ALL ".join(f"SELECT * FROM ({cut}) part" for cut in cuts)  # noqa: S608 - names of our own
    return _shown_sql(ladder, "0", both)


@cache
def _cut_sql(entries: type[Any], scope_column: str, columns: tuple[str, ...], side: str) -> str:
    """The entries on one side of a position, nearest first; without a side the first ones."""
    where = f"AND ({', '.join(columns)}) {side} ({', '.join(['%s'] * len(columns))})" if side else ""
    order = ", ".join(f"{column} DESC" if side == "<" else column for column in columns)
    return (
        f"SELECT * FROM {entries._meta.db_table} WHERE {scope_column} = %s AND listed {where} "  # noqa: S608
        f"ORDER BY {order} LIMIT %s"
    )


def _shown_sql(ladder: Ladder, ahead: str, cut: str) -> str:
    """What is shown of the entries of `cut`; the last columns are the count ahead and the total."""
    players = get_user_model()._meta.db_table
    of_deal = ladder.entries is Result
    own = "a.public_id" if of_deal else "e.deals"
    attempts = f"JOIN {Attempt._meta.db_table} a ON a.id = e.attempt_id" if of_deal else ""
    shown = ", ".join(f"e.{column}" for column in (*_SHOWN, ladder.layout.key))
    order = ", ".join(f"e.{column}" for column in ladder.columns)
    return (
        f"SELECT p.public_id, p.display_name, {own}, {shown}, {ahead}, {total_sql(ladder)} "  # noqa: S608
        f"FROM ({cut}) e JOIN {players} p ON p.id = e.player_id {attempts} ORDER BY {order}"
    )


def _own_sql(ladder: Ladder) -> str:
    return (
        f"SELECT {', '.join(ladder.columns)} FROM {ladder.entries._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {ladder.scope_column} = %s AND player_id = %s AND listed"
    )


def _total_params(ladder: Ladder) -> list[object]:
    return [ladder.scope, ladder.layout.code]


def _stretch(ladder: Ladder, first: int, rows: list[tuple[Any, ...]]) -> Stretch:
    of_deal = ladder.entries is Result
    entries = []
    for rank, row in enumerate(rows, first + 1):
        player, name, own, cards_up, elapsed_ms, tokens, *_rest = row
        position = _position(ladder, row)
        finished_at = position[-2]
        entries.append(
            Entry(
                rank=rank,
                player=_uuid(player),
                name=name,
                cards_up=cards_up,
                elapsed_ms=elapsed_ms,
                tokens=tokens,
                finished_at=finished_at,
                attempt=_uuid(own) if of_deal else None,
                deals=None if of_deal else own,
                position=position,
            )
        )
    return Stretch(entries, int(rows[0][-1]) if rows else 0)


def _position(ladder: Ladder, row: tuple[Any, ...]) -> Position:
    figures = dict(zip((*_SHOWN, ladder.layout.key), row[3:-2], strict=True))
    return tuple([_read(column, figures[column]) for column in ladder.columns])


def _read(column: str, value: Any) -> Any:  # noqa: ANN401
    return read_time(value) if column == "finished_at" else value


def _uuid(value: UUID | str) -> UUID:
    return UUID(value) if isinstance(value, str) else value
