"""Bulk writes of the fold's rows: COPY on PostgreSQL, `executemany` on SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.db import connection

from games.db.statements import stored
from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings.rules import Change, RatingState

_CHANGE: Final = (
    "race_id", "finished_at", "entrant_id", "player_id", "rank",
    "mu_before", "sigma_before", "mu_after", "sigma_after", "races", "limited",
)  # fmt: skip
_STANDING: Final = RatingState._fields
_BATCH: Final = 1_000


def insert_changes(changes: Sequence[Change]) -> None:
    """Insert the changes."""
    if connection.vendor == "postgresql":
        _copy_changes(changes)
        return
    rows = [(race, stored(finished_at), *rest) for race, finished_at, *rest in changes]
    insert_rows(RatingChange._meta.db_table, _CHANGE, rows)


def _copy_changes(changes: Sequence[Change]) -> None:
    """Insert with COPY in binary format, which avoids formatting and parsing the digits of four floats."""
    fields = [RatingChange._meta.get_field(name.removesuffix("_id")) for name in _CHANGE]
    sql = f"COPY {RatingChange._meta.db_table} ({', '.join(_CHANGE)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types([str(field.db_type(connection)) for field in fields])
        for change in changes:
            copy.write_row(change)


def insert_rated(guests: Mapping[int, Sequence[int]]) -> None:
    """Record these races as rated, with the entrants who were guests."""
    rows = [(race, json.dumps(entrants)) for race, entrants in guests.items()]
    insert_rows(RatedRace._meta.db_table, ("race_id", "guests"), rows)


def write_standings(standings: Mapping[int, RatingState], players: Collection[int]) -> None:
    """Set the players' ratings to their standings; delete the rating of a player without races."""
    rows = [
        Rating(player_id=player, **dict(zip(_STANDING, standings[player], strict=True)))
        for player in sorted(players)
        if standings[player].races
    ]
    Rating.objects.bulk_create(
        rows, batch_size=_BATCH, update_conflicts=True, unique_fields=["player"], update_fields=_STANDING
    )
    unrated = [player for player in players if not standings[player].races]
    Rating.objects.filter(player__in=unrated).delete()


def insert_rows(table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows into a table, with values in the database's representation."""
    names = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        places = ", ".join(["%s"] * len(columns))
        sql = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - names of our own
        cursor.executemany(sql, rows)
