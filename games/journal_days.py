"""The journal by day, on PostgreSQL: a partition holds the moves of the attempts begun on one day.

The partitions are ranges of attempts' numbers, so a move's place follows from its key `(attempt, n)`, which stays
unique in the whole table, and whoever writes or reads moves need not know of days. A new day is a new range: its
partition is attached, then the sequence of the numbers goes on at its beginning. Attempts begun before that, late or
early, are in the day before, where nothing is wrong with them.

A day that is settled is not deleted but dropped. The few of its attempts that are still open, practice mostly, are
carried over into the *rest*, the partition of all numbers below the days, which is written anew at that time and
dropped in turn. Numbers beyond all days go to a default partition: no move is without a place.

Where the table is not partitioned (SQLite, or before its migration) nothing happens here, and finished attempts' rows
are deleted by `games.attempts.purge_journal`.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any, Final, NamedTuple

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from games.attempts import JOURNAL_KEPT
from games.models import Attempt

log = logging.getLogger(__name__)

#: Numbers set aside for the attempts of a day: more than begin. Should they run out, the default partition takes them.
NUMBERS: Final = 1_000_000_000

#: A day begins so much earlier, so that the rush at midnight is all in its partition.
AHEAD: Final = timedelta(minutes=1)

#: A day is settled when its last attempt began so long ago: those of its deals have ended and need no journal.
SETTLED: Final = timedelta(hours=3)

#: For how long moves may wait behind somebody who wants a lock, how often it is tried, and the pause in between.
LOCK_WAIT: Final = "200ms"
LOCK_TRIES: Final = 10
LOCK_PAUSE: Final = 0.5  # s

_REST: Final = "games_move_rest"
_NEXT_REST: Final = "games_move_next_rest"
_DEFAULT: Final = "games_move_default"
#: Workers take turns on this PostgreSQL advisory lock.
_TURN: Final = 0x7A10_DA75

#: Moves of the attempts below `high` that are open, or ended after `before`, as far as the new rest has not got them.
#: An attempt's rows are committed in the order of their numbers. OFFSET 0 keeps the planner at an index scan for each
#: attempt: there are few, and the day's table is large.
_CARRY: Final = f"""
WITH wanted AS MATERIALIZED (
  SELECT a.id, COALESCE((SELECT max(r.n) FROM {_NEXT_REST} r WHERE r.attempt_id = a.id), -1) AS carried
  FROM games_attempt a
  WHERE a.id < %(high)s AND (a.state = 'playing' OR
    (a.state IN ('pending', 'verified', 'rejected', 'review') AND a.finished_at >= %(before)s))
)
INSERT INTO {_NEXT_REST} (attempt_id, n, token, ms, auto)
SELECT m.* FROM wanted, LATERAL (
  SELECT d.attempt_id, d.n, d.token, d.ms, d.auto FROM {{part}} d
  WHERE d.attempt_id = wanted.id AND d.n > wanted.carried OFFSET 0
) m
"""  # noqa: S608 - names of our own

_PARTS: Final = """
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass('games_move')
"""
_RANGE: Final = re.compile(r"FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(-?\d+)'?\)")


class Part(NamedTuple):
    """A partition of the moves of the attempts from `low` up to, not including, `high`."""

    name: str
    low: int | None
    high: int


class LockedError(RuntimeError):
    """The journal is being read or written for too long by others, a backup perhaps."""


def is_by_day() -> bool:
    """Whether the journal of this database is partitioned."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_class WHERE oid = to_regclass('games_move') AND relkind = 'p'")
        return cursor.fetchone() is not None


def days() -> list[Part]:
    """The partitions of days, oldest first; none where the journal is not by day."""
    return _parts()[1:] if is_by_day() else []


def begin_day(day: date) -> bool:
    """Give the attempts that begin from now on a partition of their own, unless this day has one; returns whether it
    was made.

    Moves do not wait meanwhile.

    :raises LockedError: when the journal could not be locked; nothing has changed then.
    """
    if not is_by_day():
        return False
    name = f"games_move_{day:%Y%m%d}"
    with _turn() as mine:
        found = _parts()
        begun = mine and name not in {part.name for part in found}
        if begun:
            low = _free_from(found[-1].high)
            _begin(Part(name, low, low + NUMBERS))
    # Only after the commit, and again if a process died here: no number is given that has no partition.
    with _turn() as mine:
        if mine:
            _number_from(_parts()[-1])
    return begun


def drop_days(now: datetime | None = None) -> int:
    """Drop the days that are settled, and carry over what is still open of them; returns how many.

    Moves wait while the partitions change places, not while rows are carried over.

    :raises LockedError: when the journal could not be locked; nothing has changed then.
    """
    now = now or timezone.now()
    if not is_by_day():
        return 0
    with _turn() as mine:
        if not mine:
            return 0
        rest, *found = _parts()
        # Not the newest, which the attempts of now are in.
        settled = list(takewhile(lambda part: _is_settled(part, now), found[:-1]))
        if settled:
            _drop([rest, *settled], now - JOURNAL_KEPT)
        return len(settled)


def _begin(day: Part) -> None:
    _make(day)
    # As attaching locks them: moves go on in the other partitions.
    _lock(["games_move"], "SHARE UPDATE EXCLUSIVE")
    _lock([_DEFAULT])
    _attach(day)


def _free_from(number: int) -> int:
    """The first number not below this one from which on the default partition has no moves."""
    [(taken,)] = _run(f"SELECT max(attempt_id) FROM {_DEFAULT}")  # noqa: S608
    return number if taken is None or taken < number else (taken // NUMBERS + 1) * NUMBERS


def _drop(old: Sequence[Part], before: datetime) -> None:
    """Replace the rest and the days after it by a new rest, of the attempts that are open or ended after `before`."""
    rest = Part(_NEXT_REST, None, old[-1].high)
    _make(rest)
    _carry(old, before)
    _run(f"ANALYZE {_NEXT_REST}")
    _lock(["games_move", _DEFAULT, *(part.name for part in old)])
    # From here nobody has moves on the way: what came during the copying is seen, and is all.
    _carry(old, before)
    for part in old:
        _run(f"ALTER TABLE games_move DETACH PARTITION {part.name}")
        _run(f"DROP TABLE {part.name}")
    _attach(rest)
    _run(f"ALTER TABLE {_NEXT_REST} RENAME TO {_REST}")


def _carry(old: Sequence[Part], before: datetime) -> None:
    for part in old:
        _run(_CARRY.format(part=part.name), {"high": old[-1].high, "before": before})


def _is_settled(part: Part, now: datetime) -> bool:
    begun = Attempt.objects.filter(pk__lt=part.high).order_by("-pk").values_list("started_at", flat=True).first()
    return begun is None or begun < now - SETTLED


def _parts() -> list[Part]:
    """The rest and the days, in order."""
    found = []
    for name, bounds in _run(_PARTS):
        if limits := _RANGE.search(bounds):
            low, high = limits.groups()
            found.append(Part(name, None if low == "MINVALUE" else int(low), int(high)))
    return sorted(found, key=lambda part: part.high)


def _make(part: Part) -> None:
    """Make a table that can become a partition; with the check, attaching it need not look at its rows."""
    _run(f"CREATE TABLE {part.name} (LIKE games_move INCLUDING ALL)")
    above = "" if part.low is None else f"attempt_id >= {part.low} AND "
    _run(f"ALTER TABLE {part.name} ADD CONSTRAINT journal_range CHECK ({above}attempt_id < {part.high})")


def _attach(part: Part) -> None:
    low = "MINVALUE" if part.low is None else part.low
    _run(f"ALTER TABLE games_move ATTACH PARTITION {part.name} FOR VALUES FROM ({low}) TO ({part.high})")
    _run(f"ALTER TABLE {part.name} DROP CONSTRAINT journal_range")


def _number_from(part: Part) -> None:
    """Have attempts numbered from the partition's beginning, unless they are there already."""
    [(sequence,)] = _run("SELECT pg_get_serial_sequence('games_attempt', 'id')")
    _run(f"SELECT setval(%s, %s, false) FROM {sequence} WHERE last_value < %s", [sequence, part.low, part.low])  # noqa: S608


def _lock(tables: Sequence[str], mode: str = "ACCESS EXCLUSIVE") -> None:
    """Lock the tables until the transaction ends. Who comes meanwhile never waits long for a lock that is not to be
    had.
    """
    for _try in range(LOCK_TRIES):
        try:
            with transaction.atomic():
                _run(f"SET LOCAL lock_timeout = '{LOCK_WAIT}'")
                _run("LOCK TABLE " + ", ".join(f"ONLY {table}" for table in tables) + f" IN {mode} MODE")
        except OperationalError:
            time.sleep(LOCK_PAUSE)
        else:
            return
    raise LockedError("the journal is locked by others")


@contextmanager
def _turn() -> Iterator[bool]:
    """A transaction; whether no other process is changing the partitions just now."""
    with transaction.atomic():
        [(mine,)] = _run("SELECT pg_try_advisory_xact_lock(%s)", [_TURN])
        yield mine


def _run(sql: str, params: Any = None) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as Django's cursors take them
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []
