"""Archives of a whole site, restored into either kind of database."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db.migrations.loader import MigrationLoader

from accounts.models import User
from games.db.archives import restoring
from games.db.archives.archive_format import ArchiveError
from games.db.archives.restoring import restore_archive
from games.db.archives.writing import delete_old
from tests.browser.conftest import embedded_environment, make_database
from tests.config.running import run
from tests.control import ControlProcess


@pytest.fixture(scope="module")
def inhabited(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an embedded site with players, games, races and staff decisions."""
    var = Path(shutil.copytree(sqlite_template, tmp_path_factory.mktemp("inhabited") / "var"))
    environment = embedded_environment(var)
    make_database(environment)
    control = ControlProcess("tests.browser.control", environment, var / "control.log")
    control.ask("inhabit")
    control.stop()
    return var


@pytest.fixture(scope="module")
def archived(inhabited: Path) -> Path:
    path = inhabited / "talon.zip"
    done = run("manage.py", "archive", str(path), var=inhabited)
    assert done.returncode == 0, done.stderr
    return path


def contents(archive: Path) -> dict[str, list[bytes]]:
    """The columns and rows of each table; databases differ in how they sort text."""
    with ZipFile(archive) as opened:
        return {name: sorted(opened.read(name).splitlines()) for name in opened.namelist() if name != "archive.json"}


def rewritten(archive: Path, to: Path, member: str, change: Callable[[bytes], bytes]) -> Path:
    with ZipFile(archive) as old, ZipFile(to, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == member else old.read(name))
    return to


def changed_tables(archived: Path, var: Path, **variables: str) -> set[str]:
    """Return the tables whose rows differ from the archive's after a restore."""
    again = run("manage.py", "archive", str(var / "again.zip"), var=var, **variables)
    assert again.returncode == 0, again.stderr
    old, new = contents(archived), contents(var / "again.zip")
    assert sum(len(rows) > 1 for rows in old.values()) > 30
    return {name for name in old if old[name] != new.get(name)}


@pytest.mark.services
def test_a_site_moves_to_postgresql(inhabited: Path, archived: Path, tmp_path: Path, postgres_url: str) -> None:
    """A restore finds the faults that the site had (some deals and games are made up), and no others."""
    shutil.copy(inhabited / "secret_key", tmp_path)
    done = run("manage.py", "restore", str(archived), var=tmp_path, DATABASE_URL=postgres_url)
    for check in (["check_ledger"], ["verify", "--all", "--dry-run"]):
        before = run("manage.py", *check, var=inhabited)
        assert before.stdout in done.stdout, done.stdout + done.stderr
        assert before.returncode == done.returncode == 1
    assert changed_tables(archived, tmp_path, DATABASE_URL=postgres_url) == set()
    create = "from accounts.models import User; User.objects.create_user('Late')"
    created = run("manage.py", "shell", "-v0", "-c", create, var=tmp_path, DATABASE_URL=postgres_url)
    assert created.returncode == 0, created.stderr  # its number is none of a restored row


def test_an_earlier_releases_archive_is_migrated(inhabited: Path, archived: Path, tmp_path: Path) -> None:
    """Rows from before the switch "four colours" became a card face; SQLite gets all the others as they were."""
    shutil.copy(inhabited / "secret_key", tmp_path)
    newest = MigrationLoader(None).graph.leaf_nodes("accounts")[0][1].encode()
    older = rewritten(
        archived, tmp_path / "1.zip", "archive.json", lambda text: text.replace(newest, b"0002_name_keys_as_written")
    )
    older = rewritten(
        older, tmp_path / "2.zip", "accounts.User.jsonl", lambda rows: rows.replace(b"{}", b'{"four_colours":true}')
    )
    run("manage.py", "restore", str(older), "--no-replay", var=tmp_path)
    with closing(sqlite3.connect(tmp_path / "talon.sqlite3")) as database:
        preferences = {text for (text,) in database.execute("SELECT preferences FROM accounts_user")}
    assert '{"card_face": "colours"}' in preferences
    assert not [text for text in preferences if "four_colours" in text]
    assert changed_tables(archived, tmp_path) == {"accounts.User.jsonl"}


@pytest.mark.django_db
def test_an_incomplete_archive_is_refused(archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "_migrate_empty_database", lambda _: None)  # the tables are there
    Permission.objects.all().delete()
    ContentType.objects.all().delete()
    shorter = rewritten(
        archived, tmp_path / "1.zip", "games.Deal.jsonl", lambda rows: rows[: rows.rindex(b"\n", 0, -1) + 1]
    )
    with pytest.raises(CommandError, match=r"games\.Deal has"):
        call_command("restore", str(shorter), stdout=StringIO())
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text, "The database has tables already: restore into a new one."),
        (lambda text: text.replace(b'"layout":1', b'"layout":9'), "does not know"),
        (lambda text: text.replace(b'"0001_', b'"9999_'), "does not know"),
        (lambda _: b"{}", "is damaged"),
    ],
)
def test_an_archive_that_cannot_be_restored_changes_nothing(
    archived: Path, tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    with pytest.raises(ArchiveError, match=message):
        restore_archive(rewritten(archived, tmp_path / "x.zip", "archive.json", change))


@pytest.mark.django_db
def test_another_file_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("cards")
    for name in ("x.zip", "missing.zip"):
        with pytest.raises(ArchiveError, match=name):
            restore_archive(tmp_path / name)


def test_old_archives_of_a_folder_are_deleted(tmp_path: Path) -> None:
    names = ["other.zip", *(f"talon-2026-01-0{day}T000000.zip" for day in (1, 2, 3))]
    for name in names:
        (tmp_path / name).touch()
    delete_old(tmp_path, "talon-*.zip", 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [names[0], *names[2:]]
