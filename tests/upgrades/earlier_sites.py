"""Sites of earlier commits: their files, their databases with players and games, and the upgrade to this version."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from tests.browser.table_driver import won_record
from tests.config.running import environment, run
from tests.requirements import ROOT

POPULATE: Final = Path(__file__).with_name("populate.py")
#: The commit whose database is also migrated back.
PREVIOUS: Final = "1ce2187a"
#: Commits after which migrations changed, oldest first, and what is new in each.
COMMITS: Final = {
    "b5ffa6c4": "a journal by day",
    "a9dfab80": "squashed migrations, starter deals, names without look-alikes",
    "d866b70f": "puzzles, storms, explorers, puzzle races",
    "9b3bffb3": "plainly named columns",
    "a29231cf": "ranks by progress time, races by presence",
    "1ce2187a": "searching bots, puzzles without repetition",
}
#: Commits on branches, or between steps that were combined later, whose databases are refused.
REFUSED: Final = ("778f1686", "94bceae2", "4721033e")


class Site(NamedTuple):
    """A site of an earlier commit: the folder of its files, its VAR_DIR, and its database, by default in there."""

    files: Path
    var: Path
    database_url: str = ""

    @property
    def url(self) -> str:
        """The database, also if it is in VAR_DIR."""
        return self.database_url or f"sqlite:///{self.var / 'talon.sqlite3'}"

    @property
    def variables(self) -> dict[str, str]:
        """Settings besides VAR_DIR."""
        return {"DATABASE_URL": self.database_url} if self.database_url else {}


def extract(commit: str, folder: Path) -> None:
    """Put the files of a commit of this repository into a folder."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    folder.mkdir(parents=True)
    subprocess.run(["tar", "--extract"], cwd=folder, input=archive, check=True)


def populate(site: Site) -> None:
    """Migrate the database of an earlier site, and fill it with players and games."""
    variants = [path.stem for path in (ROOT / "tests/rules/golden").glob("*.json") if path.stem != "options"]
    seeds = {variant: won_record(variant)["seed"] for variant in variants}
    given = json.dumps({"seeds": seeds, "won": won_record("labyrinth", last=True)})
    site.var.mkdir(parents=True, exist_ok=True)
    old(site, "manage.py", "migrate", "--verbosity", "0")
    old(site, str(POPULATE), given=given)


def old(site: Site, *command: str, given: str = "") -> None:
    """Run a command of the earlier version.

    :raises AssertionError: with its errors if it fails.
    """
    variables = environment(site.var, **site.variables)
    done = subprocess.run(
        [sys.executable, *command],
        cwd=site.files,
        env=variables,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def upgrade(site: Site) -> str:
    """Upgrade a site's database with this version's release step; return its error, if it refuses."""
    done = run("-m", "config.processes.release", var=site.var, RELEASE_PATIENCE="0", **site.variables)
    return done.stderr if done.returncode else ""


def go_back(site: Site, applied: set[tuple[str, str]]) -> None:
    """Migrate an upgraded database back to the migrations that it had, and check that the earlier version takes it.

    :raises AssertionError: if it does not.
    """
    for folder in ROOT.glob("[!.]*/**/migrations"):
        app, names = folder.parent.name, {path.stem for path in folder.glob("0*.py")}
        newest = max((name for name in names if (app, name) in applied), default="zero")
        if newest != max(names):
            done = run("manage.py", "migrate", app, newest, var=site.var, **site.variables)
            assert done.returncode == 0, done.stderr
    old(site, "manage.py", "migrate", "--check")
