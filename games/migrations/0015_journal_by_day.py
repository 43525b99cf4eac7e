"""Partition the journal by ranges of attempts' numbers, on PostgreSQL (games.journal_days); elsewhere nothing changes.

The table as it is becomes the partition of all attempts begun so far, and no row is moved: moves wait for the moment in
which names change. Old processes and new ones write to it as before. Each step may be run again after an interruption.
"""

import time
from contextlib import contextmanager

from django.db import OperationalError, migrations, transaction

NUMBERS = 1_000_000_000
LOCK_TRIES = 100
LOCK_PAUSE = 0.5  # s


def partition(_apps, schema_editor):
    """Make the table a partition of one that takes its place."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql" or is_partitioned(connection):
        return
    # All numbers of attempts that are given until the first day begins are below this.
    [(last,)] = run(connection, f"SELECT last_value FROM {sequence(connection)}")  # noqa: S608
    high = (last // NUMBERS + 1) * NUMBERS
    # First looked at beside the moves that are written, so that attaching need not look.
    check = f"ADD CONSTRAINT journal_range CHECK (attempt_id < {high}) NOT VALID"
    with locked(connection):
        run(connection, "ALTER TABLE games_move DROP CONSTRAINT IF EXISTS journal_range")
        run(connection, f"ALTER TABLE games_move {check}")
    run(connection, "ALTER TABLE games_move VALIDATE CONSTRAINT journal_range")
    with locked(connection):
        for statement in (
            "ALTER TABLE games_move RENAME TO games_move_rest",
            "ALTER INDEX games_move_pkey RENAME TO games_move_rest_pkey",
            "ALTER INDEX move_folded RENAME TO games_move_rest_folded",
            "CREATE TABLE games_move (LIKE games_move_rest INCLUDING DEFAULTS) PARTITION BY RANGE (attempt_id)",
            "ALTER TABLE games_move ADD PRIMARY KEY (attempt_id, n)",
            "CREATE INDEX move_folded ON games_move (attempt_id) WHERE token = ''",
            f"ALTER TABLE games_move ATTACH PARTITION games_move_rest FOR VALUES FROM (MINVALUE) TO ({high})",
            "ALTER TABLE games_move_rest DROP CONSTRAINT journal_range",
            "CREATE TABLE games_move_default PARTITION OF games_move DEFAULT",
        ):
            run(connection, statement)


def join(_apps, schema_editor):
    """Make one table of the partitions again. Moves wait while the rows are copied."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql" or not is_partitioned(connection):
        return
    with locked(connection):
        for statement in (
            "CREATE TABLE games_move_whole (LIKE games_move INCLUDING DEFAULTS)",
            "INSERT INTO games_move_whole SELECT * FROM games_move",
            "DROP TABLE games_move",
            "ALTER TABLE games_move_whole RENAME TO games_move",
            "ALTER TABLE games_move ADD PRIMARY KEY (attempt_id, n)",
            "CREATE INDEX move_folded ON games_move (attempt_id) WHERE token = ''",
        ):
            run(connection, statement)


@contextmanager
def locked(connection):
    """A transaction in which the journal is ours; moves never wait long for one that does not come about."""
    with transaction.atomic(using=connection.alias):
        for left in reversed(range(LOCK_TRIES)):
            try:
                with transaction.atomic(using=connection.alias):
                    run(connection, "SET LOCAL lock_timeout = '200ms'")
                    run(connection, "LOCK TABLE games_move")
                break
            except OperationalError:
                if not left:
                    raise
                time.sleep(LOCK_PAUSE)
        yield


def is_partitioned(connection):
    return bool(run(connection, "SELECT 1 FROM pg_class WHERE oid = to_regclass('games_move') AND relkind = 'p'"))


def sequence(connection):
    return run(connection, "SELECT pg_get_serial_sequence('games_attempt', 'id')")[0][0]


def run(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("games", "0014_pauses"),
    ]

    operations = [
        migrations.RunPython(partition, join),
    ]
