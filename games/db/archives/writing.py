"""Writing of archives, while the site runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model
from django.utils import timezone

from games.db.archives.archive_format import (
    LAYOUT,
    NAME,
    ArchiveError,
    Manifest,
    columns_of,
    in_batches,
    member_of,
    tables,
)
from games.db.migration_check import unapplied
from games.rules.version import __version__

#: PostgreSQL returns memoryviews, and JSON in an order of its own.
_encode = msgspec.json.Encoder(enc_hook=bytes, order="sorted").encode


def write_archive(path: Path, report: Callable[[str, int], None] = lambda _table, _rows: None) -> Manifest:
    """Write the whole database, as it is at one moment, to a new file; `report` hears of each table as it is written.

    The file appears when it is complete.

    :raises ArchiveError: if migrations are missing, or the file cannot be written.
    """
    if unapplied():
        raise ArchiveError("The database lacks migrations of this release: run `manage.py migrate` first.")
    migrations = sorted(MigrationLoader(None).graph.leaf_nodes())
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with _one_moment(), ZipFile(unfinished, "w", ZIP_DEFLATED, compresslevel=6) as archive:
            rows = {}
            for model in tables(apps):
                rows[model._meta.label] = _write_table(archive, model)
                report(model._meta.label, rows[model._meta.label])
            manifest = Manifest(LAYOUT, __version__, timezone.now(), migrations, rows)
            archive.writestr(NAME, msgspec.json.encode(manifest))
        unfinished.replace(path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


def delete_old(folder: Path, pattern: str, keep: int) -> list[Path]:
    """Delete all but the newest files of a folder by name, and return those deleted."""
    old = sorted(folder.glob(pattern))[:-keep]
    for path in old:
        path.unlink()
    return old


@contextmanager
def _one_moment() -> Iterator[None]:
    """Read from a single snapshot, without blocking writers."""
    with _deferred_locks(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def _deferred_locks() -> Iterator[None]:
    """Take no write lock on SQLite, unlike the site's other transactions."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    mode, connection.transaction_mode = connection.transaction_mode, "DEFERRED"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        connection.transaction_mode = mode  # type: ignore[attr-defined]


def _write_table(archive: ZipFile, model: type[Model]) -> int:
    columns, rows = columns_of(model), 0
    with archive.open(member_of(model), "w", force_zip64=True) as member:
        member.write(_encode([column.column for column in columns]) + b"\n")
        for batch in in_batches(model, columns):
            member.write(b"".join(_encode(row) + b"\n" for row in batch))
            rows += len(batch)
    return rows
