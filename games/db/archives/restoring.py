"""Restoring of archives, into an empty database of either kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

import msgspec
from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Field, Model, QuerySet

from games.db.archives.archive_format import BATCH, LAYOUT, NAME, ArchiveError, Manifest, columns_of, member_of, tables
from games.rules.version import __version__


def restore_archive(path: Path, report: Callable[[str, int], None] = lambda _table, _rows: None) -> Manifest:
    """Fill the empty database with an archive's rows and migrate it to this release; `report` hears of each table.

    :raises ArchiveError: if the file is damaged or of an unknown release, or the database is not empty. Then the
        database has no rows.
    """
    try:
        with ZipFile(path) as archive:
            manifest = _read_manifest(archive)
            _migrate_empty_database(manifest)
            _insert_all(archive, manifest, report)
    except (BadZipFile, EOFError, KeyError, msgspec.DecodeError) as error:
        raise ArchiveError(f"{path} is damaged, or no archive: {error}") from error
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}.") from error
    call_command("migrate", verbosity=0, interactive=False)
    _reset_sequences()
    return manifest


def _read_manifest(archive: ZipFile) -> Manifest:
    manifest = msgspec.json.decode(archive.read(NAME), type=Manifest)
    known = MigrationExecutor(connection).loader.graph.nodes
    if manifest.layout != LAYOUT or any(node not in known for node in manifest.migrations):
        raise ArchiveError(
            f"The archive was made by release {manifest.release}, whose tables release {__version__} does not know. "
            "Restore it with that release, and upgrade afterwards."
        )
    return manifest


def _migrate_empty_database(manifest: Manifest) -> None:
    """Create the archive's tables, without the rows that migrations insert."""
    executor = MigrationExecutor(connection)
    if executor.loader.applied_migrations:
        raise ArchiveError("The database has tables already: restore into a new one.")
    executor.migrate(manifest.migrations)
    call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)


def _insert_all(archive: ZipFile, manifest: Manifest, report: Callable[[str, int], None]) -> None:
    state = MigrationExecutor(connection).loader.project_state(manifest.migrations)
    with transaction.atomic():  # constraints are checked at its end
        for model in tables(state.apps):
            with archive.open(member_of(model)) as member:
                rows = _insert(model, member)  # type: ignore[arg-type]
            if rows != manifest.rows[model._meta.label]:
                raise ArchiveError(f"{model._meta.label} has {rows} rows, not {manifest.rows[model._meta.label]}.")
            report(model._meta.label, rows)


def _reset_sequences() -> None:
    """Move PostgreSQL's sequences past the restored keys. SQLite needs no such step."""
    with connection.cursor() as cursor:
        for app in apps.get_app_configs():
            reset = call_command("sqlsequencereset", app.label, verbosity=0, no_color=True, stdout=StringIO())
            if reset:
                cursor.execute(reset)


def _insert(model: type[Model], member: BinaryIO) -> int:
    by_column = {field.column: field for field in columns_of(model)}
    columns = [by_column[name] for name in msgspec.json.decode(member.readline())]
    for column in columns:
        column.auto_now = column.auto_now_add = False  # type: ignore[attr-defined]  # these times are the archive's
    rows, table = 0, QuerySet[Any](model)
    for batch in _batches(member, columns):
        table.bulk_create([model(**row) for row in batch])
        rows += len(batch)
    return rows


def _batches(member: BinaryIO, columns: Sequence[Field[Any, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for line in member:
        row = zip(columns, msgspec.json.decode(line), strict=True)
        batch.append({column.attname: column.to_python(value) for column, value in row})
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch
