"""Database system checks, run by `manage.py migrate` and by the release step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PARTLY_MIGRATED = "games.E001"


@register(Tags.database)
def check_upgrade_path(
    app_configs: Any,  # noqa: ANN401, ARG001 - Django's signature
    databases: Iterable[str] | None = None,
    **_: object,
) -> list[CheckMessage]:
    """Report an error for each database that has applied only some of the squashed migrations."""
    return [error for alias in databases or () for error in _partly_migrated(alias)]


def _partly_migrated(alias: str) -> list[CheckMessage]:
    loader = MigrationLoader(None)
    applied = MigrationRecorder(connections[alias]).applied_migrations()
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
