"""Reads that every table, every socket and the home page cause, in plain SQL.

Building such a query with the ORM costs several times what the database needs to run it. Each function returns what the
ORM query in its docstring returns (`tests/games/db/test_hot_queries.py`), from a replica where a view has selected one.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db.models import Model
from django.db.models.query import RawQuerySet

from games.db.replicas.router import connection_to_read
from games.models import Attempt, Deal, Move

_Row = TypeVar("_Row", bound=Model)

_SESSION: Final = f"SELECT * FROM {Session._meta.db_table} WHERE session_key = %s AND expire_date > %s"  # noqa: S608
_PLAYER: Final = "SELECT * FROM {table} WHERE id = %s"
_ATTEMPT: Final = f"SELECT * FROM {Attempt._meta.db_table} WHERE public_id = %s"  # noqa: S608
_DEAL: Final = f"SELECT * FROM {Deal._meta.db_table} WHERE id = %s"  # noqa: S608
# The subquery resolves the attempt's id first, so that PostgreSQL can prune the journal's partitions.
_PLAYED: Final = (
    f"SELECT a.state, m.token, m.ms FROM {Attempt._meta.db_table} a "  # noqa: S608
    f"LEFT JOIN {Move._meta.db_table} m ON m.attempt_id = a.id "
    f"WHERE a.id = (SELECT id FROM {Attempt._meta.db_table} WHERE public_id = %s) ORDER BY m.n"
)
_BEGUN: Final = (
    "SELECT {columns} FROM {attempts} a JOIN {deals} d ON d.id = a.deal_id "
    "WHERE a.player_id = %s AND {of} AND (a.ranked OR a.started_at < d.closes_at) ORDER BY a.ranked, a.started_at DESC"
)


class Played(NamedTuple):
    """An attempt's state with one token of its journal; token and time are None if the journal is empty."""

    state: str
    token: str | None
    ms: int | None


def session(key: str | None, now: datetime) -> Session | None:
    """Return ``Session.objects.filter(session_key=key, expire_date__gt=now).first()``."""
    return _first(Session.objects.raw(_SESSION, [key, now]))


def player(player_id: int) -> Any:  # noqa: ANN401 - the user model
    """Return ``User.objects.filter(pk=player_id).first()``."""
    user: Any = get_user_model()
    return _first(user.objects.raw(_PLAYER.format(table=user._meta.db_table), [player_id]))


def attempt_with_deal(public_id: UUID) -> Attempt | None:
    """Return ``Attempt.objects.select_related("deal").filter(public_id=public_id).first()``."""
    attempt = _first(Attempt.objects.raw(_ATTEMPT, [public_id.hex]))
    if attempt is not None:
        attempt.deal = Deal.objects.raw(_DEAL, [attempt.deal_id])[0]
    return attempt


def played(public_id: UUID) -> list[Played]:
    """Return an attempt's state with each token of its journal, in order and from one snapshot.

    It is ``Attempt.objects.filter(public_id=public_id).order_by("moves__n").values_list("state", "moves__token",
    "moves__ms")``.
    """
    with connection_to_read().cursor() as cursor:
        cursor.execute(_PLAYED, [public_id.hex])
        return [Played(*row) for row in cursor.fetchall()]


def attempts_on(player_id: int, day: date) -> list[Attempt]:
    """Return a player's attempts at the deals of a day, without their records, the one that counts for a deal last.

    It is ``Attempt.objects.filter(Q(ranked=True) | Q(started_at__lt=F("deal__closes_at")), player=player_id,
    deal__day=day).defer("record").order_by("ranked", "-started_at")``.
    """
    return list(Attempt.objects.raw(_begun_sql("d.day = %s"), [player_id, day]))


def attempts_at(player_id: int, deal_id: int) -> list[Attempt]:
    """Return ``attempts_on`` for one deal: with ``deal=deal_id`` in place of ``deal__day=day``."""
    return list(Attempt.objects.raw(_begun_sql("d.id = %s"), [player_id, deal_id]))


@cache
def _begun_sql(of: str) -> str:
    """Return the query of all columns but the record; the fields are known once all models are loaded."""
    fields = (field for field in Attempt._meta.get_fields() if field.concrete and field.name != "record")
    columns = ", ".join(f"a.{field.column}" for field in fields)
    return _BEGUN.format(columns=columns, attempts=Attempt._meta.db_table, deals=Deal._meta.db_table, of=of)


def _first(rows: RawQuerySet[_Row]) -> _Row | None:
    return next(iter(rows), None)
