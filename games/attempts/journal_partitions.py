"""Daily partitions of the move journal on PostgreSQL: each holds the moves of the attempts begun on one day.

The partitions are ranges of attempt ids. A move's partition therefore follows from its key `(attempt, n)`, which stays
unique across the table, and code that reads or writes moves need not know about days. A new day gets a new range:
its partition is attached, then the id sequence jumps to the start of the range. Attempts begun before the jump go to
the previous day's partition, which does no harm.

A settled day's partition is dropped, not deleted row by row. The moves of its few attempts that are still open, mostly
practice, are carried over into the *rest*: the partition of all ids below the days, which is rewritten and replaced
each time. A default partition takes ids beyond all ranges, so every move has a place.

If the table is not partitioned (SQLite, or before the migration), these functions do nothing and
`games.attempts.lifecycle.purge_journal` deletes the rows of finished attempts.
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

from games.attempts.lifecycle import JOURNAL_KEPT
from games.models import Attempt

log = logging.getLogger(__name__)

#: Attempt ids reserved for a day, more than a day ever needs. If they run out, the default partition takes the rest.
NUMBERS: Final = 1_000_000_000

#: Lead time of a new day's partition, so that it receives the whole midnight rush.
AHEAD: Final = timedelta(minutes=1)

#: Time since its last attempt began after which a day is settled: the attempts at its daily deals have ended and need
#: no journal.
SETTLED: Final = timedelta(hours=3)

#: Lock timeout, which bounds how long moves queue behind a pending lock; number of tries; pause between them.
LOCK_WAIT: Final = "200ms"
LOCK_TRIES: Final = 10
LOCK_PAUSE: Final = 0.5  # s

_REST: Final = "games_move_rest"
_NEXT_REST: Final = "games_move_next_rest"
_DEFAULT: Final = "games_move_default"
#: Key of the PostgreSQL advisory lock that serializes workers.
_TURN: Final = 0x7A10_DA75

#: Copies to the new rest the moves it lacks of attempts below `high` that are open or ended after `before`. An
#: attempt's rows are committed in the order of `n`, so its highest copied `n` is enough to go on. OFFSET 0 keeps the
#: planner at an index scan for each attempt: there are few, and the day's table is large.
_CARRY: Final = f"""
WITH to_carry AS MATERIALIZED (
  SELECT a.id, COALESCE((SELECT max(r.n) FROM {_NEXT_REST} r WHERE r.attempt_id = a.id), -1) AS carried
  FROM games_attempt a
  WHERE a.id < %(high)s AND (a.state = 'playing' OR
    (a.state IN ('pending', 'verified', 'rejected', 'review') AND a.finished_at >= %(before)s))
)
INSERT INTO {_NEXT_REST} (attempt_id, n, token, ms, auto)
SELECT m.* FROM to_carry, LATERAL (
  SELECT d.attempt_id, d.n, d.token, d.ms, d.auto FROM {{part}} d
  WHERE d.attempt_id = to_carry.id AND d.n > to_carry.carried OFFSET 0
) m
"""  # noqa: S608 - names of our own

_PARTS: Final = """
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass('games_move')
"""
_RANGE: Final = re.compile(r"FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(-?\d+)'?\)")


class Part(NamedTuple):
    """Partition for the moves of attempts with ids from `low` (inclusive; None: unbounded) to `high` (exclusive)."""

    name: str
    low: int | None
    high: int


class LockedError(RuntimeError):
    """The journal could not be locked because another session, such as a backup, holds it for too long."""


def is_by_day() -> bool:
    """Return True if this database's journal is partitioned."""
    partitioned = "SELECT 1 FROM pg_class WHERE oid = to_regclass('games_move') AND relkind = 'p'"
    return connection.vendor == "postgresql" and bool(_run(partitioned))


def days() -> list[Part]:
    """Return the daily partitions, oldest first; an empty list if the journal is not partitioned."""
    return _parts()[1:] if is_by_day() else []


def begin_day(day: date) -> bool:
    """Create the partition of a day, unless it exists, and direct new attempts to it; return True if it was created.

    Moves are not blocked.

    :raises LockedError: when the journal could not be locked; nothing has changed then.
    """
    if not is_by_day():
        return False
    name = f"games_move_{day:%Y%m%d}"
    with _exclusive() as has_lock:
        parts = _parts()
        is_new = has_lock and name not in {part.name for part in parts}
        if is_new:
            low = _free_from(parts[-1].high)
            _begin(Part(name, low, low + NUMBERS))
    # Only after the commit, so that every new id has a partition; also repeats the step if a process died before it.
    with _exclusive() as has_lock:
        if has_lock:
            _number_from(_parts()[-1])
    return is_new


def drop_days(now: datetime | None = None) -> int:
    """Drop the partitions of settled days, carrying over open attempts; return the number dropped.

    Moves are blocked while the partitions are swapped, not while rows are copied.

    :raises LockedError: when the journal could not be locked; nothing has changed then.
    """
    now = now or timezone.now()
    if not is_by_day():
        return 0
    with _exclusive() as has_lock:
        if not has_lock:
            return 0
        rest, *days = _parts()
        # Never the newest, which takes current attempts.
        settled = list(takewhile(lambda part: _is_settled(part, now), days[:-1]))
        if settled:
            _drop([rest, *settled], now - JOURNAL_KEPT)
        return len(settled)


def _begin(day: Part) -> None:
    _make(day)
    # The same locks as attaching takes: moves in the other partitions go on.
    _lock(["games_move"], "SHARE UPDATE EXCLUSIVE")
    _lock([_DEFAULT])
    _attach(day)


def _free_from(number: int) -> int:
    """Return the first usable range start, `number` or later, above every attempt in the default partition."""
    [(highest,)] = _run(f"SELECT max(attempt_id) FROM {_DEFAULT}")  # noqa: S608
    return number if highest is None or highest < number else (highest // NUMBERS + 1) * NUMBERS


def _drop(old: Sequence[Part], before: datetime) -> None:
    """Replace the rest and the following days with a new rest for the attempts open or ended after `before`."""
    rest = Part(_NEXT_REST, None, old[-1].high)
    _make(rest)
    _carry(old, before)
    _run(f"ANALYZE {_NEXT_REST}")
    _lock(["games_move", _DEFAULT, *(part.name for part in old)])
    # With the locks held no move is in flight, so the second pass copies everything written during the first.
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
    started_at = Attempt.objects.filter(pk__lt=part.high).order_by("-pk").values_list("started_at", flat=True).first()
    return started_at is None or started_at < now - SETTLED


def _parts() -> list[Part]:
    """Return the rest and the days, in order."""
    parts = []
    for name, bounds in _run(_PARTS):
        if limits := _RANGE.search(bounds):
            low, high = limits.groups()
            parts.append(Part(name, None if low == "MINVALUE" else int(low), int(high)))
    return sorted(parts, key=lambda part: part.high)


def _make(part: Part) -> None:
    """Create a table to attach as a partition; its check constraint saves PostgreSQL a scan when attaching."""
    _run(f"CREATE TABLE {part.name} (LIKE games_move INCLUDING ALL)")
    above = "" if part.low is None else f"attempt_id >= {part.low} AND "
    _run(f"ALTER TABLE {part.name} ADD CONSTRAINT journal_range CHECK ({above}attempt_id < {part.high})")


def _attach(part: Part) -> None:
    low = "MINVALUE" if part.low is None else part.low
    _run(f"ALTER TABLE games_move ATTACH PARTITION {part.name} FOR VALUES FROM ({low}) TO ({part.high})")
    _run(f"ALTER TABLE {part.name} DROP CONSTRAINT journal_range")


def _number_from(part: Part) -> None:
    """Advance the attempt id sequence to the start of the partition, unless it is already there."""
    [(sequence,)] = _run("SELECT pg_get_serial_sequence('games_attempt', 'id')")
    _run(f"SELECT setval(%s, %s, false) FROM {sequence} WHERE last_value < %s", [sequence, part.low, part.low])  # noqa: S608


def _lock(tables: Sequence[str], mode: str = "ACCESS EXCLUSIVE") -> None:
    """Lock the tables until the transaction ends, with short tries so that other sessions never queue for long.

    :raises LockedError: when every try timed out.
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
    raise LockedError("the journal is locked by another process")


@contextmanager
def _exclusive() -> Iterator[bool]:
    """Open a transaction and yield True, or False if another process is changing the partitions."""
    with transaction.atomic():
        [(has_lock,)] = _run("SELECT pg_try_advisory_xact_lock(%s)", [_TURN])
        yield has_lock


def _run(sql: str, params: Any = None) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as Django's cursors take them
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []
