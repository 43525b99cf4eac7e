"""Errors at the start that an operator can repair, as one sentence instead of a traceback."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection

from config.observability.database_problem import database_problem, database_sentence
from config.observability.outages import server_of

#: Errors of a disk that cannot be written.
_UNWRITABLE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
#: The end of SQLite's errors that are about a statement and not about its file.
_STATEMENT: Final = ("no such", "near ", "database is locked")

RELEASE: Final = "Run `python -m config.processes.release` (`docker compose run --rm release`), then start again."


@contextmanager
def explained() -> Iterator[None]:
    """Turn an error that an operator can repair into one sentence and exit status 1."""
    try:
        yield
    except (ImproperlyConfigured, OperationalError, OSError) as error:
        if sentence := _sentence(error):
            sys.exit(sentence)
        raise


def check_database() -> None:
    """Refuse a database of another version. One that is away is reported only: the site reconnects when it is back.

    :raises SystemExit: if this code and the database don't fit, with what to do.
    """
    if problem := database_problem():
        print(problem, file=sys.stderr, flush=True)  # noqa: T201
        return
    check_version()
    connection.close()


def check_version() -> None:
    """Refuse a database of another version.

    :raises SystemExit: with what to do.
    """
    # Imported here because it needs Django to be set up.
    from games.db.migration_check import unapplied  # noqa: PLC0415

    check_upgrade_path()
    if missing := unapplied():
        names = f"{', '.join(missing[:3])}{', …' if len(missing) > 3 else ''}"
        sys.exit(f"This database lacks {len(missing)} migrations of this version ({names}). {RELEASE}")


def check_upgrade_path() -> None:
    """Refuse a database that this version cannot migrate.

    :raises SystemExit: with what to do.
    """
    errors = checks.run_checks(tags=[checks.Tags.database], databases=[DEFAULT_DB_ALIAS])
    if errors:
        sys.exit("\n".join(f"{error.msg} {error.hint or ''}" for error in errors))


def _sentence(error: Exception) -> str:
    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, OSError):
        is_unwritable = error.errno in _UNWRITABLE
        place = error.filename or "the data folder"
        return f"Cannot write to {place}: {error.strerror}. VAR_DIR names the data folder." if is_unwritable else ""
    if connection.vendor == "sqlite":
        return "" if str(error).startswith(_STATEMENT) else database_sentence(error)
    return (database_problem() or database_sentence(error)) if server_of(error) else ""
