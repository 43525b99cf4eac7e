"""Batch reads of pending attempts with their deals, for judging.

A task gathers other pending attempts, so that under load many share one transaction. Each attempt is gathered at most
once: if it kills that worker, from then on it can only kill its own task.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db import connection

from games.db.statements import Statement, read_time, run_in_order
from games.models import Attempt, Deal

# Every verdict runs these, so they are plain SQL: composing them with the ORM takes longer than running them.
_ATTEMPT: Final = (
    "id",
    "public_id",
    "player_id",
    "ranked",
    "state",
    "started_at",
    "deadline",
    "finished_at",
    "end",
    "record",
)
_DEAL: Final = ("id", "variant", "game", "rules_version", "day", "opens_at", "for_race", "seed")
_COLUMNS: Final = ", ".join([f'a."{column}"' for column in _ATTEMPT] + [f'd."{column}"' for column in _DEAL])
_READ: Final = (
    f"SELECT a.auto_runs, d.options, {_COLUMNS} FROM {Attempt._meta.db_table} a "  # noqa: S608 - names of our own
    f"JOIN {Deal._meta.db_table} d ON d.id = a.deal_id WHERE a.id IN "
)
_GATHER: Final = (
    f"WITH waiting AS (SELECT id AS chosen FROM {Attempt._meta.db_table} "  # noqa: S608 - names of our own
    f"WHERE state = '{Attempt.State.PENDING}' AND NOT gathered AND id <> %s ORDER BY finished_at, id LIMIT %s <lock>) "
    f"UPDATE {Attempt._meta.db_table} AS a SET gathered = TRUE FROM waiting WHERE a.id = chosen RETURNING id"
)


def read_with_others(attempt_id: int, limit: int) -> tuple[Attempt | None, list[Attempt]]:
    """Read an attempt, and up to `limit` other pending ones that have not been gathered before.

    They are for reading, not for saving.
    """
    first = _read_statement([attempt_id])
    if not limit:
        return _first_attempt(run_in_order([first])[0]), []
    skip_locked = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    own, gathered = run_in_order([first, (_GATHER.replace("<lock>", skip_locked), [attempt_id, limit])])
    ids = [row[0] for row in gathered]
    others = run_in_order([_read_statement(ids)])[0] if ids else []
    return _first_attempt(own), [_attempt(row) for row in others]


def _read_statement(ids: Collection[int]) -> Statement:
    return f"{_READ}({', '.join(['%s'] * len(ids))})", list(ids)


def _first_attempt(rows: list[tuple[Any, ...]]) -> Attempt | None:
    return _attempt(rows[0]) if rows else None


def _attempt(row: tuple[Any, ...]) -> Attempt:
    auto_runs, options, *values = row
    of_attempt = dict(zip(_ATTEMPT, values, strict=False))
    of_deal = dict(zip(_DEAL, values[len(_ATTEMPT) :], strict=True))
    for name in ("started_at", "deadline", "finished_at"):
        of_attempt[name] = read_time(of_attempt[name])
    of_deal["opens_at"] = read_time(of_deal["opens_at"])
    of_attempt["public_id"] = UUID(str(of_attempt["public_id"]))
    return Attempt(**of_attempt, auto_runs=json.loads(auto_runs), deal=Deal(**of_deal, options=json.loads(options)))
