"""The commands of the operators' pages: those for containers name what exists, the others are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from deploy.servers import free_port, postgres_programs
from tests.config.running import ROOT, environment

PAGES = ("install", "upgrade", "backup", "move", "watch", "trouble")
TEXTS = {name: (ROOT / "docs" / f"{name}.md").read_text() for name in PAGES}
LONGEST = 1000
Shell = Callable[..., str]


def block(page: str, begins: str) -> str:
    """Return the one block of commands of a page with a line that begins so."""
    blocks = re.findall(r"^```\n(.*?)^```$", TEXTS[page], re.MULTILINE | re.DOTALL)
    (found,) = [commands for commands in blocks if re.search(rf"^{re.escape(begins)}", commands, re.MULTILINE)]
    return str(found)


@pytest.fixture
def site(sqlite_template: Path, tmp_path: Path) -> Path:
    """An embedded site's folder, with links to the code."""
    folder = tmp_path / "site"
    folder.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in {"var", ".git"}:
            (folder / entry.name).symlink_to(entry)
    shutil.copytree(sqlite_template, folder / "var")
    return folder


@pytest.fixture
def shell(site: Path) -> Shell:
    """Run commands in the site's folder, and return what they print."""

    def run(commands: str, **variables: str) -> str:
        done = subprocess.run(
            ["bash", "-euc", commands],
            cwd=site,
            env=environment(site / "var", **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


@pytest.mark.parametrize("page", PAGES)
def test_a_page_for_operators_is_short(page: str) -> None:
    assert len(TEXTS[page].split()) <= LONGEST


def test_commands_for_containers_name_services_and_commands_that_exist() -> None:
    text = "\n".join(TEXTS.values())
    services = set(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"])
    named = re.findall(r"docker compose (?:exec|run)((?: --?\w+(?: \"[^\"]+\")?)*) (\w+) ", text)
    named += [("", name) for names in re.findall(r"docker compose stop ([\w ]+)", text) for name in names.split()]
    assert {service for _, service in named} <= services
    assert len(named) > 10
    assert set(re.findall(r"manage\.py (\w+)", text)) <= get_commands().keys() | {"check"}


def test_a_backup_is_restored_as_documented(site: Path, shell: Shell) -> None:
    shell(block("backup", ".venv/bin/python manage.py archive"))
    assert len(list((site / "backups").glob("talon-*.zip"))) == 1
    shell(block("backup", "mkdir -p before"))
    assert (site / "before" / "talon.sqlite3").exists()
    assert (site / "var" / "talon.sqlite3").exists()


@pytest.mark.services
def test_a_site_moves_to_postgresql_as_documented(shell: Shell, postgres_url: str) -> None:
    commands = block("move", "DATABASE_URL")
    (documented,) = re.findall(r"DATABASE_URL=(\S+)", commands)
    shell(commands.replace(documented, postgres_url))


def test_migrations_are_undone_as_documented(shell: Shell) -> None:
    shell(block("upgrade", ".venv/bin/python manage.py migrate"))


@pytest.fixture
def postgres_home() -> Iterator[Path]:
    """A folder of the user who runs PostgreSQL; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory(prefix="talon-server-") as name:
        if os.geteuid() == 0:
            shutil.chown(name, "postgres")
        yield Path(name)


@pytest.mark.needs("postgres")
def test_postgresql_is_upgraded_as_documented(postgres_home: Path) -> None:
    """Both servers are of the installed version."""
    programs, port = str(postgres_programs()), str(free_port())
    variables = {"OLD": programs, "NEW": programs, "OLD_DATA": "old", "NEW_DATA": "new"}
    variables |= {"PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "postgres", "PGDATABASE": "talon"}
    variables |= {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(postgres_home)}
    log = postgres_home / "log"

    def run(commands: str) -> None:
        # A server that the commands start keeps its standard output open.
        with log.open("ab") as output:
            done = subprocess.run(
                ["bash", "-euc", commands.replace("--wait start", "--options '-k .' --wait start")],
                cwd=postgres_home,
                env=variables,
                user="postgres" if os.geteuid() == 0 else None,
                stdout=output,
                stderr=output,
                check=False,
            )
        assert done.returncode == 0, log.read_text(errors="replace")

    dump, restore = re.findall(r"`(pg_dump --format[^`]+|pg_restore --dbname[^`]+)`", TEXTS["upgrade"])
    run("initdb --pgdata old --username postgres --encoding UTF8 && pg_ctl --pgdata old --log old/log --wait start")
    try:
        run("createdb talon && psql --command 'CREATE TABLE deals (name text PRIMARY KEY)'")
        run(f"{dump} && dropdb talon && createdb talon && {restore} && pg_ctl --pgdata old --wait stop")
        run(block("upgrade", "$NEW/initdb"))
        run(block("upgrade", "psql --command"))
        run("psql --command 'SELECT name FROM deals'")
    finally:
        run("for data in old new; do pg_ctl --pgdata $data --mode immediate stop || true; done")
