"""Bulk writes of the fold's rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from django.db import connection

from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings.fold import Change, RatingState

#: Columns of `RatingChange` in the order of the fields of `Change`.
CHANGE_COLUMNS: Final = (
    "race_id", "finished_at", "entrant_id", "player_id", "rank",
    "mu_before", "sigma_before", "mu_after", "sigma_after", "races",
)  # fmt: skip
_STANDING: Final = ("mu", "sigma", "races", "last_raced_at")
_BATCH: Final = 1_000


def insert_changes(changes: Sequence[Change]) -> None:
    """Insert the changes."""
    if connection.vendor == "postgresql":
        _copy_changes(changes)
        return
    rows = [RatingChange(**dict(zip(CHANGE_COLUMNS, change, strict=True))) for change in changes]
    RatingChange.objects.bulk_create(rows, batch_size=_BATCH)


def _copy_changes(changes: Sequence[Change]) -> None:
    """Insert with COPY in binary format, which avoids formatting and parsing the digits of four floats."""
    fields = [RatingChange._meta.get_field(name.removesuffix("_id")) for name in CHANGE_COLUMNS]
    sql = f"COPY {RatingChange._meta.db_table} ({', '.join(CHANGE_COLUMNS)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types([str(field.db_type(connection)) for field in fields])
        for change in changes:
            copy.write_row(change)


def insert_rated(guests: Mapping[int, list[int]]) -> None:
    """Record these races as rated, with the entrants who were guests."""
    rows = [RatedRace(race_id=race, guests=entrants) for race, entrants in guests.items()]
    RatedRace.objects.bulk_create(rows, batch_size=_BATCH)


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
