"""SQL queries on a listing: pages, ranks and neighbourhoods, with one or two statements each.

They are raw SQL, because composing them with the ORM takes longer than running them. A range of the listing is selected
by its index first and joined to the players afterwards, so that the planner cannot choose a bad plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.contrib.auth import get_user_model

from games.core.ladders import Ladder
from games.db.statements import read_time, run_in_order, stored
from games.models import Attempt
from leaderboards.boards.board_pages import BoardRow
from leaderboards.boards.histogram import ahead, ahead_sql, total_sql
from leaderboards.boards.listings import Listing, Position
from leaderboards.models import Result

_SHOWN: Final = ("cards_up", "elapsed_ms", "tokens", "finished_at", "id")


class RankedRange(NamedTuple):
    """Range of neighbouring entries with their ranks, and for a page the number of entries on the listing."""

    entries: list[BoardRow]
    total: int


class EntryRow(NamedTuple):
    """Row of `_shown_sql`. `own` is the attempt's public id, or a standing's number of deals."""

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
    ladder: int | None
    points: int | None
    ahead: int
    total: int

    def position(self, listing: Listing) -> Position:
        """Return the entry's position."""
        return tuple([self._value(listing, column) for column in listing.columns])

    def _value(self, listing: Listing, column: str) -> Any:  # noqa: ANN401
        return self.key if column == listing.layout.key else _read(column, getattr(self, column))


def first_entries(listing: Listing, limit: int) -> RankedRange:
    """Return the best entries."""
    params = [*_total_params(listing), *listing.scopes, limit]
    return _stretch(listing, 0, _shown(_page_sql(listing, "", backwards=False), params))


def entries_beside(listing: Listing, position: Position, limit: int, *, backwards: bool) -> RankedRange:
    """Return the entries directly after a position, or before it; an entry at the position itself is left out."""
    count, ahead_params = ahead_sql(listing, position, inclusive=not backwards)
    values = [stored(value) for value in position]
    params = [*ahead_params, *_total_params(listing), *listing.scopes, *values, limit]
    rows = _shown(_page_sql(listing, count, backwards=backwards), params)
    first = rows[0].ahead if rows else 0
    return _stretch(listing, first - len(rows) if backwards else first, rows)


def entries_around(listing: Listing, player_id: int, span: int) -> list[BoardRow]:
    """Return the player's entry with up to `span` entries on each side; empty if the player is not listed.

    If the listing spans both ladders, the entries are of the player's.
    """
    own = _own(listing, player_id)
    if own is None:
        return []
    listing, position = own
    values = [stored(value) for value in position]
    params = [*listing.scopes, *values, span, *listing.scopes, *values, span + 1]
    count, ahead_params = ahead_sql(listing, position)
    ((place,),), found = run_in_order([(f"SELECT {count}", ahead_params), (_around_sql(listing), params)])
    rows = [EntryRow(*row) for row in found]
    before = sum(row.position(listing) < position for row in rows)
    return _stretch(listing, int(place) - before, rows).entries


def rank_of(listing: Listing, player_id: int) -> int | None:
    """Return the player's rank from 1, on the player's ladder if the listing spans both; None if not listed."""
    own = _own(listing, player_id)
    return None if own is None else ahead(*own) + 1


def entries_of(listing: Listing, player_ids: Sequence[int], limit: int) -> list[BoardRow]:
    """Return the listed entries of the players, ranked among themselves."""
    if not player_ids:
        return []
    table, columns = listing.entries._meta.db_table, ", ".join(listing.columns)
    inner = (
        f"SELECT * FROM {table} WHERE {listing.where} AND listed "  # noqa: S608 - names of our own
        f"AND player_id IN ({', '.join(['%s'] * len(player_ids))}) ORDER BY {columns} LIMIT %s"
    )
    return _stretch(listing, 0, _shown(_shown_sql(listing, inner), [*listing.scopes, *player_ids, limit])).entries


def _shown(sql: str, params: Sequence[Any]) -> list[EntryRow]:
    (rows,) = run_in_order([(sql, params)])
    return [EntryRow(*row) for row in rows]


def _own(listing: Listing, player_id: int) -> tuple[Listing, Position] | None:
    """Return the listing narrowed to the player's ladder, and the player's position on it."""
    (rows,) = run_in_order([(_own_sql(listing), [*listing.scopes, player_id])])
    for ladder, *row in rows:
        position = tuple([_read(column, value) for column, value in zip(listing.columns, row, strict=True)])
        return replace(listing, ladder=Ladder(ladder) if ladder else None), position
    return None


def _page_sql(listing: Listing, ahead: str, *, backwards: bool) -> str:
    side = "" if not ahead else ("<" if backwards else ">")
    cut = _cut_sql(listing.entries, listing.where, listing.columns, side)
    return _shown_sql(listing, cut, ahead or "0", total_sql(listing))


def _around_sql(listing: Listing) -> str:
    cuts = [_cut_sql(listing.entries, listing.where, listing.columns, side) for side in ("<", ">=")]
    both = " UNION ALL ".join(f"SELECT * FROM ({cut}) part" for cut in cuts)  # noqa: S608 - names of our own
    return _shown_sql(listing, both)


@cache
def _cut_sql(entries: type[Any], scope: str, columns: tuple[str, ...], side: str) -> str:
    """Return SQL for the entries on one side of a position, nearest first; without a side, the first entries."""
    where = f"AND ({', '.join(columns)}) {side} ({', '.join(['%s'] * len(columns))})" if side else ""
    order = ", ".join(f"{column} DESC" if side == "<" else column for column in columns)
    return (
        f"SELECT * FROM {entries._meta.db_table} WHERE {scope} AND listed {where} "  # noqa: S608
        f"ORDER BY {order} LIMIT %s"
    )


def _shown_sql(listing: Listing, cut: str, ahead: str = "0", total: str = "0") -> str:
    """Return SQL for the display columns of the entries in `cut`, followed by the count ahead and the total."""
    players = get_user_model()._meta.db_table
    of_deal = listing.entries is Result
    own = "a.public_id" if of_deal else "e.deals"
    attempts = f"JOIN {Attempt._meta.db_table} a ON a.id = e.attempt_id" if of_deal else ""
    extra = "e.ladder, NULL AS points" if of_deal else "NULL AS ladder, e.points"
    shown = ", ".join([*(f"e.{column}" for column in (*_SHOWN, listing.layout.key)), extra])
    order = ", ".join(f"e.{column}" for column in listing.columns)
    return (
        f"SELECT p.public_id, p.display_name, p.deleted_at IS NOT NULL, {own}, {shown}, {ahead}, {total} "  # noqa: S608
        f"FROM ({cut}) e JOIN {players} p ON p.id = e.player_id {attempts} ORDER BY {order}"
    )


def _own_sql(listing: Listing) -> str:
    ladder = "ladder" if listing.entries is Result else "NULL"
    return (
        f"SELECT {ladder}, {', '.join(listing.columns)} FROM {listing.entries._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {listing.where} AND player_id = %s AND listed"
    )


def _total_params(listing: Listing) -> list[object]:
    return [listing.scope, listing.code]


def _stretch(listing: Listing, first: int, rows: list[EntryRow]) -> RankedRange:
    of_deal = listing.entries is Result
    entries = [
        BoardRow(
            rank=rank,
            player=read_uuid(row.player),
            name=row.name,
            cards_up=row.cards_up,
            elapsed_ms=row.elapsed_ms,
            tokens=row.tokens,
            finished_at=_read("finished_at", row.finished_at),
            attempt=read_uuid(row.own) if of_deal else None,
            deals=None if of_deal else row.own,
            points=row.points,
            position=row.position(listing),
            is_former=bool(row.is_former),
            ladder=Ladder(row.ladder) if row.ladder else None,
        )
        for rank, row in enumerate(rows, first + 1)
    ]
    return RankedRange(entries, int(rows[0].total) if rows else 0)


def _read(column: str, value: Any) -> Any:  # noqa: ANN401
    return read_time(value) if column == "finished_at" else value


def read_uuid(value: UUID | str) -> UUID:
    """Return a UUID read by plain SQL, which SQLite returns as text."""
    return UUID(value) if isinstance(value, str) else value
