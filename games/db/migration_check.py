"""Checks that the database's migrations fit this version, run by `manage.py migrate` and when a process starts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PARTLY_MIGRATED = "games.E001"
NEWER = "games.E002"


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
        errors += [*_partly_migrated(loader, applied), *_newer(loader, applied)]
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


def _newer(loader: MigrationLoader, applied: set[tuple[str, str]]) -> list[CheckMessage]:
    """Report applied migrations with higher numbers than all that this version knows in their app."""
    replaced = [old for squashed in loader.replacements.values() for old in squashed.replaces]
    known = sorted({*loader.disk_migrations, *replaced})
    latest = {app: max(name for _, name in names) for app, names in groupby(known, key=lambda key: key[0])}
    newer = sorted(f"{app}.{name}" for app, name in applied if app in latest and name[:4] > latest[app][:4])
    if not newer:
        return []
    message = f"This database has migrations of a newer version: {', '.join(newer)}."
    hint = "Start that version again, or restore a backup from before the upgrade. Nothing was changed."
    return [Error(message, hint=hint, id=NEWER)]
