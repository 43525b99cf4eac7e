"""Writes many rows of the fold at once: by COPY on PostgreSQL, prepared inserts on SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.db import connection

from games.statements import stored
from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings.folding import Change, Standing

_CHANGE: Final = (
    "race_id", "finished_at", "entrant_id", "player_id", "rank",
    "mu_before", "sigma_before", "mu_after", "sigma_after", "races",
)  # fmt: skip
_STANDING: Final = ("mu", "sigma", "races", "last_raced_at")
_BATCH: Final = 1_000


def insert_changes(changes: Sequence[Change]) -> None:
    """Add these changes."""
    if connection.vendor == "postgresql":
        _copy_changes(changes)
        return
    rows = [(race, stored(finished_at), *rest) for race, finished_at, *rest in changes]
    insert_rows(RatingChange._meta.db_table, _CHANGE, rows)


def _copy_changes(changes: Sequence[Change]) -> None:
    """Add them in PostgreSQL's own form, which spares both sides writing and reading the digits of four floats."""
    fields = [RatingChange._meta.get_field(name.removesuffix("_id")) for name in _CHANGE]
    sql = f"COPY {RatingChange._meta.db_table} ({', '.join(_CHANGE)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types([str(field.db_type(connection)) for field in fields])
        for change in changes:
            copy.write_row(change)


def insert_rated(guests: Mapping[int, Sequence[int]]) -> None:
    """Note that these races have been rated, and who were guests in them."""
    rows = [(race, json.dumps(entrants)) for race, entrants in guests.items()]
    insert_rows(RatedRace._meta.db_table, ("race_id", "guests"), rows)


def write_standings(standings: Mapping[int, Standing], players: Collection[int]) -> None:
    """Have these players' ratings be their standings; one who has not raced has none."""
    rows = [
        Rating(player_id=player, **dict(zip(_STANDING, standings[player], strict=True)))
        for player in sorted(players)
        if standings[player].races
    ]
    Rating.objects.bulk_create(
        rows, batch_size=_BATCH, update_conflicts=True, unique_fields=["player"], update_fields=_STANDING
    )
    gone = [player for player in players if not standings[player].races]
    Rating.objects.filter(player__in=gone).delete()


def insert_rows(table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows to a table, with values as it stores them."""
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
