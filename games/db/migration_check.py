"""Checks that the database's migrations fit this version, run by `manage.py migrate` and when a process starts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final, NamedTuple

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PARTLY_MIGRATED: Final = "games.E001"
NEWER: Final = "games.E002"
UNKNOWN: Final = "games.E003"
UNFINISHED: Final = "games.E004"


class Backfill(NamedTuple):
    """A periodic task of an earlier release that has to be finished, and a SELECT of what it has left.

    A migration lists those it needs as `backfills`.
    """

    task: str
    left: str


@register(Tags.database)
def check_upgrade_path(
    app_configs: Any,  # noqa: ANN401, ARG001 - Django's signature
    databases: Iterable[str] | None = None,
    **_: object,
) -> list[CheckMessage]:
    """Report a partly squashed history, or migrations of a newer version, as an error for each database."""
    errors = []
    for alias in databases or ():
        loader = MigrationLoader(None)
        applied = set(MigrationRecorder(connections[alias]).applied_migrations())
        errors += [*_partly_migrated(loader, applied), *_foreign(loader, applied), *_unfinished(loader, applied, alias)]
    return errors


def unapplied(alias: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Return the names of this version's migrations that the database lacks."""
    executor = MigrationExecutor(connections[alias])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def _partly_migrated(loader: MigrationLoader, applied: set[tuple[str, str]]) -> list[CheckMessage]:
    counts = [
        (app, sum(old in applied for old in squashed.replaces), len(squashed.replaces))
        for (app, _), squashed in loader.replacements.items()
        if not any(old in loader.disk_migrations for old in squashed.replaces)
    ]
    partly = [f"{app} ({done} of {total})" for app, done, total in sorted(counts) if 0 < done < total]
    if not partly:
        return []
    message = f"This database has only some of the migrations of the previous release: {', '.join(partly)}."
    hint = "Run the previous release's `manage.py migrate` on it, then start this release again. Nothing was changed."
    return [Error(message, hint=hint, id=PARTLY_MIGRATED)]


def _foreign(loader: MigrationLoader, applied: set[tuple[str, str]]) -> list[CheckMessage]:
    """Report applied migrations that this version does not know, in apps that it knows."""
    replaced = [old for squashed in loader.replacements.values() for old in squashed.replaces]
    known = sorted({*loader.disk_migrations, *replaced})
    latest = {app: max(name for _, name in names) for app, names in groupby(known, key=lambda key: key[0])}
    unknown = [(app, name) for app, name in sorted(applied - set(known)) if app in latest]
    newer = [f"{app}.{name}" for app, name in unknown if name[:4] > latest[app][:4]]
    if newer:
        message = f"This database has migrations of a newer version: {', '.join(newer)}."
        hint = "Start that version again, or restore a backup from before the upgrade. Nothing was changed."
        return [Error(message, hint=hint, id=NEWER)]
    if unknown:
        message = f"This version cannot upgrade from the one that made this database ({'.'.join(unknown[0])})."
        hint = "Upgrade to a release in between first: docs/releases.md, Jumps. Nothing was changed."
        return [Error(message, hint=hint, id=UNKNOWN)]
    return []


def _unfinished(loader: MigrationLoader, applied: set[tuple[str, str]], alias: str) -> list[CheckMessage]:
    """Report backfills that a migration needs and that are not finished, or have not begun."""
    due = [one for key, one in loader.disk_migrations.items() if key not in applied] if applied else []
    backfills = {backfill for migration in due for backfill in getattr(migration, "backfills", ())}
    tasks = ", ".join(f"`{backfill.task}`" for backfill in sorted(backfills) if _has_left(backfill, alias))
    if not tasks:
        return []
    hint = "Run the previous release until its next runs have finished, then upgrade again. Nothing was changed."
    return [Error(f"This upgrade has to wait for {tasks} of the previous release.", hint=hint, id=UNFINISHED)]


def _has_left(backfill: Backfill, alias: str) -> bool:
    try:
        with transaction.atomic(alias), connections[alias].cursor() as cursor:
            cursor.execute(f"SELECT EXISTS ({backfill.left})")
            return bool(cursor.fetchone()[0])
    except DatabaseError:  # a release before the one that fills the column
        return True
