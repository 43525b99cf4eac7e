"""Manifest of an archive: where it comes from, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from django.apps.registry import Apps
from django.db.models import Field, Model, QuerySet

NAME: Final = "archive.json"
#: Version of the archive's layout, not of the tables in it.
LAYOUT: Final = 1
#: Rows read and inserted at a time.
BATCH: Final = 5000


class ArchiveError(Exception):
    """An archive that cannot be written or restored; the message says why and what to do."""


class Manifest(msgspec.Struct, frozen=True):
    """Origin and contents of an archive. `migrations` are the newest of each app, as pairs of app and name."""

    layout: int
    release: str
    made_at: datetime
    migrations: list[tuple[str, str]]
    rows: dict[str, int]


def tables(apps: Apps) -> Iterator[type[Model]]:
    """Yield the model of each table, many-to-many tables included, sorted by name."""
    models = apps.get_models(include_auto_created=True)
    yield from sorted((one for one in models if one._meta.managed and not one._meta.proxy), key=member_of)


def member_of(model: type[Model]) -> str:
    """Return the name of a table's file in the archive."""
    return f"{model._meta.label}.jsonl"


def columns_of(model: type[Model]) -> Sequence[Field[Any, Any]]:
    """Return a table's stored columns."""
    return [field for field in model._meta.concrete_fields if field.column and not field.generated]


def in_batches(model: type[Model], columns: Sequence[Field[Any, Any]]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield a table's rows by primary key, a batch at a time, without a server-side cursor."""
    names = ["pk", *(column.attname for column in columns)]
    rows: QuerySet[Any, tuple[Any, ...]] = QuerySet(model).order_by("pk").values_list(*names)
    batch = list(rows[:BATCH])
    while batch:
        yield [row[1:] for row in batch]
        batch = list(rows.filter(pk__gt=batch[-1][0])[:BATCH])
