"""Errors at the start: one sentence with the setting and the server, never a traceback or a password."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import OperationalError
from django.db.migrations.loader import MigrationLoader

from config.processes.start_check import explained
from games.db import migration_check
from games.db.migration_check import Backfill
from tests.config.running import run

SERVER = ("-m", "config.processes.server", "--port", "0")
RELEASE = ("-m", "config.processes.release")
TABLES = ("-m", "config.processes.websocket_server", "--port", "0")


def sentence(*command: str, var: Path, **settings: str) -> str:
    """Return the only line that a command writes before it fails."""
    done = run(*command, var=var, **settings)
    assert done.returncode == 1, done.stderr
    line, *others = done.stderr.splitlines()
    assert others == []
    return line


def test_a_wrong_url_is_refused_by_its_setting(tmp_path: Path) -> None:
    """`test_settings` has others."""
    line = sentence(*SERVER, var=tmp_path, DATABASE_URL="postgres://ada:hid/den@db/talon")
    assert line.startswith("DATABASE_URL")
    assert "special characters in its password" in line
    assert "hid" not in line


@pytest.mark.parametrize("command", ["worker", "beat"])
def test_workers_and_beat_refuse_a_wrong_setting_with_the_same_sentence(command: str, tmp_path: Path) -> None:
    line = sentence("-m", "celery", "--quiet", "-A", "config", command, var=tmp_path, EMAIL_URL="foo://")
    assert line.startswith("EMAIL_URL must begin with one of smtp://")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda url: url._replace(netloc="talon:hidden@127.0.0.1:1"), "Connection refused"),
        (lambda url: url._replace(path="/no_such_database"), 'database "no_such_database" does not exist'),
    ],
    ids=["port", "database"],
)
@pytest.mark.services
def test_an_unusable_database_is_named_with_its_server(
    change: Callable[..., object], reason: str, postgres_url: str, tmp_path: Path
) -> None:
    url: str = change(urlsplit(postgres_url)).geturl()  # type: ignore[attr-defined]
    line = sentence(*RELEASE, var=tmp_path, DATABASE_URL=url)
    assert line.startswith("DATABASE_URL: PostgreSQL at 127.0.0.1:")
    assert reason in line
    assert "hidden" not in line


def test_an_unusable_sqlite_file_is_named(tmp_path: Path) -> None:
    line = sentence("-m", "config.processes.embedded", var=tmp_path, PORT="0", DATABASE_URL="sqlite:////no/such/file")
    assert line == "DATABASE_URL: SQLite in /no/such/file: unable to open database file"


@pytest.mark.parametrize("command", [SERVER, TABLES])
def test_old_database_is_not_served_but_names_the_release_step(command: tuple[str, ...], migrated_var: Path) -> None:
    with closing(sqlite3.connect(migrated_var / "talon.sqlite3")) as database, database:
        database.execute("DELETE FROM django_migrations WHERE app = 'puzzles'")
    line = sentence(*command, var=migrated_var)
    assert "lacks" in line
    assert "puzzles." in line
    assert "config.processes.release" in line


@pytest.mark.parametrize("command", [SERVER, RELEASE, ("manage.py", "migrate")])
def test_database_of_a_newer_version_is_refused(command: tuple[str, ...], migrated_var: Path) -> None:
    with closing(sqlite3.connect(migrated_var / "talon.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('games', '0999_later', '2030-1-1')"
        )
    done = run(*command, var=migrated_var)
    assert done.returncode == 1
    assert "migrations of a newer version: games.0999_later" in done.stderr
    assert "Traceback" not in done.stderr


def test_database_of_a_version_that_is_no_longer_followed_is_refused(migrated_var: Path) -> None:
    with closing(sqlite3.connect(migrated_var / "talon.sqlite3")) as database, database:
        database.execute("UPDATE django_migrations SET name = '0001_first' WHERE name = '0002_starter_deals'")
    line = sentence(*SERVER, var=migrated_var)
    assert "cannot upgrade from the one that made this database (games.0001_first)" in line
    assert "docs/releases.md" in line


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "is_refused"),
    [
        ("SELECT 1 FROM games_attempt WHERE progress_ms IS NULL", False),
        ("SELECT 1", True),
        ("SELECT 1 FROM games_attempt WHERE later IS NULL", True),
    ],
    ids=["finished", "unfinished", "not begun"],
)
def test_a_migration_waits_for_the_backfill_it_needs(
    query: str, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Migration:
        backfills = (Backfill("talon.backfill_progress", query),)

    def loaded(connection: object) -> MigrationLoader:
        loader = MigrationLoader(None)
        loader.disk_migrations["games", "0000_waits"] = Migration  # type: ignore[assignment]
        return loader

    monkeypatch.setattr(migration_check, "MigrationLoader", loaded)
    errors = migration_check.check_upgrade_path(None, ["default"])
    assert [error.id for error in errors] == [migration_check.UNFINISHED] * is_refused
    assert all("`talon.backfill_progress` of the previous release" in error.msg for error in errors)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/srv/var"), "Cannot write to /srv/var: No space left"),
        (OperationalError("database or disk is full"), "DATABASE_URL: SQLite in .*: database or disk is full"),
    ],
)
def test_a_full_disk_is_one_sentence(error: Exception, said: str) -> None:
    with pytest.raises(SystemExit, match=said), explained():
        raise error


def test_other_errors_keep_their_traceback() -> None:
    for error in (OSError("else"), OperationalError("no such table: games_deal")):
        with pytest.raises(type(error)), explained():
            raise error
