"""Reads a ladder: the statements behind pages, ranks and neighbourhoods, one or two for each question.

They are written as SQL, because composing them with the ORM takes longer than running them. A stretch of the ladder is
selected by its index first and joined to the players afterwards, so that the planner cannot go wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.contrib.auth import get_user_model

from games.models import Attempt
from games.statements import Statement, read_time, run_in_order, stored
from leaderboards.histogram import ahead, ahead_sql, total_sql
from leaderboards.ladders import Ladder, Position
from leaderboards.models import Result
from leaderboards.pages import Entry

_SHOWN: Final = ("cards_up", "elapsed_ms", "tokens", "finished_at", "id")


class Stretch(NamedTuple):
    """Neighbouring entries with their ranks, and for a page the number of entries on the ladder."""

    entries: list[Entry]
    total: int


class Row(NamedTuple):
    """An entry as `_shown_sql` selects it. `own` is the attempt's public id, or a standing's number of deals."""

    player: UUID | str
    name: str
    is_former: bool
    own: Any
    cards_up: int
    elapsed_ms: int
    tokens: int
    finished_at: datetime | str
    id: int
    key: int
    ahead: int
    total: int

    def position(self, ladder: Ladder) -> Position:
        """The entry's position."""
        return tuple([self._value(ladder, column) for column in ladder.columns])

    def _value(self, ladder: Ladder, column: str) -> Any:  # noqa: ANN401
        return self.key if column == ladder.layout.key else _read(column, getattr(self, column))


def first_entries(ladder: Ladder, limit: int) -> Stretch:
    """The best entries."""
    params = [*_total_params(ladder), ladder.scope, limit]
    return _stretch(ladder, 0, _shown(_page_sql(ladder, "", backwards=False), params))


def entries_beside(ladder: Ladder, position: Position, limit: int, *, backwards: bool) -> Stretch:
    """The entries directly after a position, or before it; an entry at the position itself is left out."""
    count, ahead_params = ahead_sql(ladder, position, inclusive=not backwards)
    values = [stored(value) for value in position]
    params = [*ahead_params, *_total_params(ladder), ladder.scope, *values, limit]
    rows = _shown(_page_sql(ladder, count, backwards=backwards), params)
    first = rows[0].ahead if rows else 0
    return _stretch(ladder, first - len(rows) if backwards else first, rows)


def entries_around(ladder: Ladder, player_id: int, span: int) -> list[Entry]:
    """The player's entry with up to `span` entries on each side; empty when the player is not listed."""
    position = _position_of(ladder, player_id)
    if position is None:
        return []
    values = [stored(value) for value in position]
    params = [ladder.scope, *values, span, ladder.scope, *values, span + 1]
    ((place,),), found = run_in_order([_ahead(ladder, position), (_around_sql(ladder), params)])
    rows = [Row(*row) for row in found]
    before = sum(row.position(ladder) < position for row in rows)
    return _stretch(ladder, int(place) - before, rows).entries


def rank_of(ladder: Ladder, player_id: int) -> int | None:
    """The player's rank from 1, or None when the player is not listed."""
    position = _position_of(ladder, player_id)
    return None if position is None else ahead(ladder, position) + 1


def entries_of(ladder: Ladder, player_ids: Sequence[int], limit: int) -> list[Entry]:
    """The listed entries of the given players, ranked among themselves."""
    if not player_ids:
        return []
    table, columns = ladder.entries._meta.db_table, ", ".join(ladder.columns)
    inner = (
        f"SELECT * FROM {table} WHERE {ladder.scope_column} = %s AND listed "  # noqa: S608 - names of our own
        f"AND player_id IN ({', '.join(['%s'] * len(player_ids))}) ORDER BY {columns} LIMIT %s"
    )
    return _stretch(ladder, 0, _shown(_shown_sql(ladder, inner), [ladder.scope, *player_ids, limit])).entries


def _shown(sql: str, params: Sequence[Any]) -> list[Row]:
    (rows,) = run_in_order([(sql, params)])
    return [Row(*row) for row in rows]


def _position_of(ladder: Ladder, player_id: int) -> Position | None:
    (rows,) = run_in_order([(_own_sql(ladder), [ladder.scope, player_id])])
    for row in rows:
        return tuple([_read(column, value) for column, value in zip(ladder.columns, row, strict=True)])
    return None


def _ahead(ladder: Ladder, position: Position) -> Statement:
    sql, params = ahead_sql(ladder, position)
    return f"SELECT {sql}", params


def _page_sql(ladder: Ladder, ahead: str, *, backwards: bool) -> str:
    side = "" if not ahead else ("<" if backwards else ">")
    cut = _cut_sql(ladder.entries, ladder.scope_column, ladder.columns, side)
    return _shown_sql(ladder, cut, ahead or "0", total_sql(ladder))


def _around_sql(ladder: Ladder) -> str:
    cuts = [_cut_sql(ladder.entries, ladder.scope_column, ladder.columns, side) for side in ("<", ">=")]
    both = " UNION ALL ".join(f"SELECT * FROM ({cut}) part" for cut in cuts)  # noqa: S608 - names of our own
    return _shown_sql(ladder, both)


@cache
def _cut_sql(entries: type[Any], scope_column: str, columns: tuple[str, ...], side: str) -> str:
    """The entries on one side of a position, nearest first; without a side, the first entries."""
    where = f"AND ({', '.join(columns)}) {side} ({', '.join(['%s'] * len(columns))})" if side else ""
    order = ", ".join(f"{column} DESC" if side == "<" else column for column in columns)
    return (
        f"SELECT * FROM {entries._meta.db_table} WHERE {scope_column} = %s AND listed {where} "  # noqa: S608
        f"ORDER BY {order} LIMIT %s"
    )


def _shown_sql(ladder: Ladder, cut: str, ahead: str = "0", total: str = "0") -> str:
    """What is shown of the entries in `cut`. The last two columns are the count ahead and the total, if asked for."""
    players = get_user_model()._meta.db_table
    of_deal = ladder.entries is Result
    own = "a.public_id" if of_deal else "e.deals"
    attempts = f"JOIN {Attempt._meta.db_table} a ON a.id = e.attempt_id" if of_deal else ""
    shown = ", ".join(f"e.{column}" for column in (*_SHOWN, ladder.layout.key))
    order = ", ".join(f"e.{column}" for column in ladder.columns)
    return (
        f"SELECT p.public_id, p.display_name, p.deleted_at IS NOT NULL, {own}, {shown}, {ahead}, {total} "  # noqa: S608
        f"FROM ({cut}) e JOIN {players} p ON p.id = e.player_id {attempts} ORDER BY {order}"
    )


def _own_sql(ladder: Ladder) -> str:
    return (
        f"SELECT {', '.join(ladder.columns)} FROM {ladder.entries._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {ladder.scope_column} = %s AND player_id = %s AND listed"
    )


def _total_params(ladder: Ladder) -> list[object]:
    return [ladder.scope, ladder.layout.code]


def _stretch(ladder: Ladder, first: int, rows: list[Row]) -> Stretch:
    of_deal = ladder.entries is Result
    entries = [
        Entry(
            rank=rank,
            player=_uuid(row.player),
            name=row.name,
            cards_up=row.cards_up,
            elapsed_ms=row.elapsed_ms,
            tokens=row.tokens,
            finished_at=_read("finished_at", row.finished_at),
            attempt=_uuid(row.own) if of_deal else None,
            deals=None if of_deal else row.own,
            position=row.position(ladder),
            is_former=bool(row.is_former),
        )
        for rank, row in enumerate(rows, first + 1)
    ]
    return Stretch(entries, int(rows[0].total) if rows else 0)


def _read(column: str, value: Any) -> Any:  # noqa: ANN401
    return read_time(value) if column == "finished_at" else value


def _uuid(value: UUID | str) -> UUID:
    return UUID(value) if isinstance(value, str) else value
