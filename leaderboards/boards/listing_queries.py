"""SQL queries on a listing: pages, ranks and neighbourhoods, with one or two statements each.

They are raw SQL, because composing them with the ORM takes longer than running them. A range of the listing is selected
by its index first and joined to the players afterwards, so that the planner cannot choose a bad plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.contrib.auth import get_user_model

from games.core.ladders import Ladder
from games.db.statements import read_time, run_in_order, stored
from games.deals.daily_points import EACH
from games.models import Attempt
from leaderboards.boards.histogram import ahead, ahead_sql, total_sql
from leaderboards.boards.listings import Listing, Position
from leaderboards.boards.rows import BoardRow
from leaderboards.models import Result

#: Fields of a `BoardRow` with their SQL: `e` is the entry, `p` its player and `a` its attempt.
_FIELDS: Final = {
    "player": "p.public_id",
    "name": "p.display_name",
    "is_former": "p.deleted_at IS NOT NULL",
    "cards_up": "e.cards_up",
    "elapsed_ms": "e.elapsed_ms",
    "tokens": "e.tokens",
    "finished_at": "e.finished_at",
}
_DEAL_FIELDS: Final = _FIELDS | {"attempt": "a.public_id", "ladder": "e.ladder", "progress_ms": "e.progress_ms"}
_SEASON_FIELDS: Final = _FIELDS | {"deals": "e.deals", "points": "e.points"}
_WINS_OF_SEASON_FIELDS: Final = _SEASON_FIELDS | {
    "cards_up": "e.won_cards_up",
    "elapsed_ms": "e.won_ms",
    "tokens": "e.won_tokens",
    "deals": "e.wins",
    "points": f"CASE WHEN e.points IS NOT NULL THEN {EACH} * e.wins END",
}


class RankedRange(NamedTuple):
    """Range of neighbouring entries with their ranks, and for a page the number of entries on the listing."""

    entries: list[BoardRow]
    total: int


class ReadEntry(NamedTuple):
    """Entry as read by `_entries_sql`: its position, the number of entries ahead, the total, and fields by name."""

    position: Position
    ahead: int
    total: int
    fields: dict[str, Any]


def first_entries(listing: Listing, limit: int) -> RankedRange:
    """Return the best entries."""
    params = [*_total_params(listing), *listing.scopes, limit]
    return _ranked(0, _read(listing, _page_sql(listing, "", backwards=False), params))


def entries_beside(listing: Listing, position: Position, limit: int, *, backwards: bool) -> RankedRange:
    """Return the entries directly after a position, or before it; an entry at the position itself is left out."""
    count, ahead_params = ahead_sql(listing, position, inclusive=not backwards)
    values = [stored(value) for value in position]
    params = [*ahead_params, *_total_params(listing), *listing.scopes, *values, limit]
    found = _read(listing, _page_sql(listing, count, backwards=backwards), params)
    first = found[0].ahead if found else 0
    return _ranked(first - len(found) if backwards else first, found)


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
    entries = [_entry(listing, row) for row in found]
    before = sum(entry.position < position for entry in entries)
    return _ranked(int(place) - before, entries).entries


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
    return _ranked(0, _read(listing, _entries_sql(listing, inner), [*listing.scopes, *player_ids, limit])).entries


def _read(listing: Listing, sql: str, params: Sequence[Any]) -> list[ReadEntry]:
    (rows,) = run_in_order([(sql, params)])
    return [_entry(listing, row) for row in rows]


def _entry(listing: Listing, row: Sequence[Any]) -> ReadEntry:
    ahead, total, *values = row
    width = len(listing.columns)
    fields = {name: _value(name, value) for name, value in zip(_fields(listing), values[width:], strict=True)}
    return ReadEntry(_position(listing, values[:width]), ahead, total, fields)


def _ranked(first: int, found: Sequence[ReadEntry]) -> RankedRange:
    entries = [
        BoardRow(rank=rank, position=entry.position, **entry.fields) for rank, entry in enumerate(found, first + 1)
    ]
    return RankedRange(entries, int(found[0].total) if found else 0)


def _fields(listing: Listing) -> dict[str, str]:
    if listing.entries is Result:
        return _DEAL_FIELDS
    return _WINS_OF_SEASON_FIELDS if listing.layout.wins_only else _SEASON_FIELDS


def _own(listing: Listing, player_id: int) -> tuple[Listing, Position] | None:
    """Return the listing narrowed to the player's ladder, and the player's position on it."""
    (rows,) = run_in_order([(_own_sql(listing), [*listing.scopes, player_id])])
    for ladder, *row in rows:
        return replace(listing, ladder=Ladder(ladder) if ladder else None), _position(listing, row)
    return None


def _page_sql(listing: Listing, ahead: str, *, backwards: bool) -> str:
    side = "" if not ahead else ("<" if backwards else ">")
    cut = _cut_sql(listing.entries, listing.where, listing.columns, side)
    return _entries_sql(listing, cut, ahead or "0", total_sql(listing))


def _around_sql(listing: Listing) -> str:
    cuts = [_cut_sql(listing.entries, listing.where, listing.columns, side) for side in ("<", ">=")]
    both = " UNION ALL ".join(f"SELECT * FROM ({cut}) part" for cut in cuts)  # noqa: S608 - names of our own
    return _entries_sql(listing, both)


@cache
def _cut_sql(entries: type[Any], scope: str, columns: tuple[str, ...], side: str) -> str:
    """Return SQL for the entries on one side of a position, nearest first; without a side, the first entries."""
    where = f"AND ({', '.join(columns)}) {side} ({', '.join(['%s'] * len(columns))})" if side else ""
    order = ", ".join(f"{column} DESC" if side == "<" else column for column in columns)
    return (
        f"SELECT * FROM {entries._meta.db_table} WHERE {scope} AND listed {where} "  # noqa: S608
        f"ORDER BY {order} LIMIT %s"
    )


def _entries_sql(listing: Listing, cut: str, ahead: str = "0", total: str = "0") -> str:
    """Return SQL for the entries in `cut`: the count ahead, the total, the columns of the position, and the fields."""
    players = get_user_model()._meta.db_table
    attempts = f"JOIN {Attempt._meta.db_table} a ON a.id = e.attempt_id" if listing.entries is Result else ""
    position = ", ".join(f"e.{column}" for column in listing.columns)
    return (
        f"SELECT {ahead}, {total}, {position}, {', '.join(_fields(listing).values())} "  # noqa: S608 - names of our own
        f"FROM ({cut}) e JOIN {players} p ON p.id = e.player_id {attempts} ORDER BY {position}"
    )


def _own_sql(listing: Listing) -> str:
    ladder = "ladder" if listing.entries is Result else "NULL"
    return (
        f"SELECT {ladder}, {', '.join(listing.columns)} FROM {listing.entries._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE {listing.where} AND player_id = %s AND listed"
    )


def _total_params(listing: Listing) -> list[object]:
    return [listing.scope, listing.code]


def _position(listing: Listing, values: Sequence[Any]) -> Position:
    return tuple([_value(column, value) for column, value in zip(listing.columns, values, strict=True)])


def _value(name: str, value: Any) -> Any:  # noqa: ANN401
    """Return the value of a field or column, which SQLite stores in another type."""
    convert = _CONVERTERS.get(name)
    return convert(value) if convert else value


def read_uuid(value: UUID | str) -> UUID:
    """Return a UUID read by plain SQL, which SQLite returns as text."""
    return UUID(value) if isinstance(value, str) else value


_CONVERTERS: Final[dict[str, Callable[[Any], Any]]] = {
    "player": read_uuid,
    "attempt": read_uuid,
    "is_former": bool,
    "finished_at": read_time,
    "ladder": Ladder,
}
