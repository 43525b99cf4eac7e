"""Upgrade databases of earlier commits to this version, on SQLite and PostgreSQL, and compare all rows.

`python -m tests.upgrades` takes some minutes; commits can be named instead of the usual ones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.postgres import NAMED_URL, USUAL_URL, new_database
from tests.upgrades.earlier_sites import COMMITS, PREVIOUS, REFUSED, Site, extract, go_back, populate, upgrade
from tests.upgrades.snapshots import applied, losses, snapshot


def check(site: Site, commit: str, kind: str) -> bool:
    """Fill and upgrade one site, and print what was lost; return True if all is as expected."""
    begun = time.monotonic()
    populate(site)
    before, migrations = snapshot(site.url), applied(site.url)
    said = upgrade(site)
    lost = losses(before, snapshot(site.url))
    if commit in REFUSED:
        lost += [] if "Nothing was changed." in said else [f"not refused: {said}"]
    elif said:
        lost.append(said)
    elif commit == PREVIOUS:
        go_back(site, migrations)
        lost += losses(before, snapshot(site.url))
    result = "FAILED" if lost else "refused" if said else "equal"
    print(f"{commit} {kind:<10} {time.monotonic() - begun:4.0f} s  {result}", *lost, sep="\n  ", flush=True)
    return not lost


def main() -> int:
    """Upgrade all, and return 1 if a row was lost or changed."""
    parser = argparse.ArgumentParser(prog="python -m tests.upgrades", description=__doc__)
    parser.add_argument("commits", nargs="*", default=[*COMMITS, *REFUSED], metavar="COMMIT")
    passed = []
    for commit in parser.parse_args().commits:
        with tempfile.TemporaryDirectory(prefix="talon-upgrade-") as name, new_database(NAMED_URL or USUAL_URL) as url:
            folder = Path(name)
            extract(commit, folder / "files")
            passed.append(check(Site(folder / "files", folder / "sqlite"), commit, "SQLite"))
            passed.append(check(Site(folder / "files", folder / "postgresql", url), commit, "PostgreSQL"))
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())
