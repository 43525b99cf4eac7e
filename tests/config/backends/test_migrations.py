"""Upgrades of databases from before the migrations were squashed."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from tests.config.running import run

LOADER = MigrationLoader(None)
SQUASHED = {
    app: sorted(name for _, name in migration.replaces)
    for (app, name), migration in LOADER.replacements.items()
    if name == "0001_squashed"
}
BACK = """
import sys, django
from django.core.management import call_command
django.setup()
for app in sys.argv[1:]:
    call_command("migrate", app, "0001_squashed", verbosity=0)
"""
OURS = {"accounts", "analysis", "appeals", "games", "ghosts", "leaderboards", "races", "replays"}


@pytest.fixture(scope="module")
def reverted(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site's folder whose database is migrated back to the squashed migrations."""
    var = Path(shutil.copytree(sqlite_template, tmp_path_factory.mktemp("reverted") / "var"))
    later = [app for app, leaf in LOADER.graph.leaf_nodes() if app in SQUASHED and leaf != "0001_squashed"]
    done = run("-c", BACK, *later, var=var, DJANGO_SETTINGS_MODULE="config.settings")
    assert done.returncode == 0, done.stderr
    return var


def as_before(reverted: Path, var: Path, *, without: str = "") -> sqlite3.Connection:
    """The database as the previous release left it: the names of its migrations, but for one."""
    shutil.copytree(reverted, var, dirs_exist_ok=True)
    database = sqlite3.connect(var / "talon.sqlite3")
    with database:
        for app, names in SQUASHED.items():
            database.execute("DELETE FROM django_migrations WHERE app = ?", [app])
            rows = [(app, name) for name in names if f"{app}.{name}" != without]
            database.executemany("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-11-23')", rows)
    return database


def schema(database: sqlite3.Connection) -> list[tuple[str, str]]:
    return database.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def migrations(database: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(database.execute("SELECT app, name FROM django_migrations"))


def test_each_app_has_one_squashed_migration() -> None:
    assert set(SQUASHED) == OURS
    assert sum(len(names) for names in SQUASHED.values()) == 36


@pytest.mark.django_db
def test_models_need_no_further_migration() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


def test_a_previous_releases_database_upgrades_to_the_same_schema(migrated_var: Path, reverted: Path) -> None:
    with closing(sqlite3.connect(migrated_var / "talon.sqlite3")) as database:
        fresh, names = schema(database), migrations(database)
    with closing(as_before(reverted, migrated_var)) as database:
        done = run("manage.py", "migrate", var=migrated_var)
        assert done.returncode == 0, done.stderr
        assert schema(database) == fresh
        assert names <= migrations(database)


def test_partly_migrated_database_is_refused_with_advice(tmp_path: Path, reverted: Path) -> None:
    with closing(as_before(reverted, tmp_path, without="games.0015_journal_by_day")) as database:
        before = schema(database)
        for command in (("manage.py", "migrate"), ("-m", "config.processes.release")):
            done = run(*command, var=tmp_path)
            assert done.returncode == 1, command
            assert "games (14 of 15)" in done.stderr
            assert "Run the previous release's `manage.py migrate`" in done.stderr
            assert "Traceback" not in done.stderr
            assert schema(database) == before
