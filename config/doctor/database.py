"""Checks of the database server and of the machine's own files and clock."""

from __future__ import annotations

import shutil
import time
import zoneinfo
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.checks import Tags, run_checks
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, transaction
from django.utils import timezone

from config.doctor.finding import Finding
from config.http.handler import NEWCOMERS, OWN_THREAD, THREADS
from config.observability.database_problem import database_problem
from config.observability.health import check_writable
from games.db.migration_check import unapplied
from games.db.replicas.lag_monitor import watch

#: Connections that the page threads of a web process hold at the same time.
LEAST_POOL: Final = THREADS + NEWCOMERS + 1 + len(OWN_THREAD)
#: Share of the server's connections in use, free bytes and seconds of the clock that are a fault.
CONNECTIONS: Final = 0.9
LEAST_FREE: Final = 2**30
CLOCK_SECONDS: Final = 5.0
#: Seconds for a replica to catch up with the primary.
REPLICA_SECONDS: Final = 3.0


def database() -> Iterator[Finding]:
    """Yield why the database cannot be used. The other checks need it."""
    if problem := database_problem():
        yield Finding("database", problem, "start the database server or correct the setting, then restart the site")
    elif (state := check_writable()) != "ok" and not unapplied():
        yield Finding("database_writes", f"The database is {state}: a full disk, or a replica.", "df -h")


def migrations() -> Iterator[Finding]:
    """Yield migrations that the database lacks, or has from a newer version."""
    for error in run_checks(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS]):
        yield Finding("migrations", str(error.msg), str(error.hint))
        return
    if missing := unapplied():
        cause = f"The database lacks {len(missing)} migrations of this version, such as {missing[0]}."
        yield Finding("migrations", cause, "python -m config.processes.release", fix="migrate")


def clock() -> Iterator[Finding]:
    """Yield a difference between this machine's clock and the database server's."""
    if connection.vendor != "postgresql":
        return
    asked = time.time()
    server = float(_value("SELECT extract(epoch FROM clock_timestamp())"))
    if not asked - CLOCK_SECONDS < server < time.time() + CLOCK_SECONDS:
        cause = f"The clocks of this machine and the database server differ by {abs(server - asked):.0f} s."
        yield Finding("clock", cause, "timedatectl set-ntp true")


def connections() -> Iterator[Finding]:
    """Yield a pool that is too small for a process, or a server that is almost out of connections."""
    if connection.vendor != "postgresql":
        return
    pool = settings.DATABASES[DEFAULT_DB_ALIAS]["OPTIONS"].get("pool", {}).get("max_size", LEAST_POOL)
    if pool < LEAST_POOL:
        cause = f"DATABASE_POOL is {pool}, but a web process has {LEAST_POOL} threads that need a connection."
        yield Finding("pool", cause, f"set DATABASE_POOL={LEAST_POOL} or more and restart the site")
    used, most = _row(
        "SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity "
        "WHERE backend_type = 'client backend'"
    )
    if used > CONNECTIONS * most:
        cause = f"{used} of the {most} connections of the database server are in use."
        yield Finding("connections", cause, "raise max_connections, or put PgBouncer in front (docs/capacity.md)")


def collation() -> Iterator[Finding]:
    """Yield a change of the system's collations, after which text indexes may be in the wrong order."""
    if connection.vendor != "postgresql" or connection.pg_version < 150000:  # type: ignore[attr-defined]
        return
    name, stored, actual = _row(
        "SELECT datname, datcollversion, pg_database_collation_actual_version(oid) "
        "FROM pg_database WHERE datname = current_database()"
    )
    if stored and actual and stored != actual:
        cause = f"The system's collations changed from {stored} to {actual}: text indexes may be in the wrong order."
        refresh = f'ALTER DATABASE "{name}" REFRESH COLLATION VERSION'
        yield Finding("collation", cause, f"reindexdb {name}, then: psql -c '{refresh}'")


def indexes() -> Iterator[Finding]:
    """Yield a corrupt index, found with amcheck where the site's user may use it."""
    if connection.vendor == "sqlite":
        if (result := _value("PRAGMA integrity_check(1)")) != "ok":
            yield Finding("index", f"The SQLite file is corrupt: {result}", "restore a backup (docs/backup.md)")
        return
    for name in _broken_indexes():
        yield Finding("index", f"The index {name} is corrupt.", f"psql -c 'REINDEX INDEX CONCURRENTLY {name}'")


def replicas() -> Iterator[Finding]:
    """Yield replicas that are away or behind."""
    latest = time.monotonic() + REPLICA_SECONDS
    for alias in settings.REPLICAS:
        monitor = watch(alias)
        while not monitor.is_fit() and time.monotonic() < latest:
            time.sleep(0.1)
        if not monitor.is_fit():
            cause = database_problem(alias) or f"{alias} in REPLICA_URLS is {monitor.lag:.0f} s behind or no replica."
            yield Finding("replica", cause, "see docs/runbook.md, A replica is behind")


def disk() -> Iterator[Finding]:
    """Yield that the data folder's disk is almost full."""
    if (free := shutil.disk_usage(settings.VAR_DIR).free) < LEAST_FREE:
        cause = f"The disk of VAR_DIR, {settings.VAR_DIR}, has only {free / 2**20:.0f} MB left."
        yield Finding("disk", cause, f"du -xh --max-depth=2 {settings.VAR_DIR}")


def time_zones() -> Iterator[Finding]:
    """Yield time zone data so old that reminders may come at the wrong hour."""
    version = _time_zone_version()
    if version and int(version[:4]) < timezone.now().year - 1:
        yield Finding("time_zones", f"The time zone data are of {version}.", "build the image again, or upgrade tzdata")


def _time_zone_version() -> str:
    """Return the version of the data that Python uses, such as 2025b; empty if the system does not say."""
    folder = next((Path(path) for path in zoneinfo.TZPATH if Path(path, "UTC").exists()), None)
    if folder is None:
        return metadata.version("tzdata")
    file = folder / "tzdata.zi"
    return file.read_text().partition("\n")[0].rpartition(" ")[2] if file.exists() else ""


def _broken_indexes() -> list[str]:
    """Return the names of the indexes that are invalid or corrupt. Nothing is changed: amcheck is rolled back."""
    names = _rows(
        "SELECT indexrelid::regclass::text, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
        "JOIN pg_am ON pg_am.oid = relam WHERE amname = 'btree' AND relkind = 'i' AND relpersistence = 'p' "
        "AND relnamespace = current_schema()::regnamespace ORDER BY 1"
    )
    broken = [name for name, is_valid in names if not is_valid]
    with transaction.atomic():
        if _succeeds("CREATE EXTENSION IF NOT EXISTS amcheck"):  # it may not be installed or allowed
            valid = [name for name, is_valid in names if is_valid]
            broken += [name for name in valid if not _succeeds("SELECT bt_index_check(%s::regclass)", name)]
        transaction.set_rollback(True)
    return broken


def _succeeds(sql: str, *parameters: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, parameters)
    except DatabaseError:
        return False
    return True


def _rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _row(sql: str) -> tuple[Any, ...]:
    return _rows(sql)[0]


def _value(sql: str) -> Any:  # noqa: ANN401
    return _row(sql)[0]
