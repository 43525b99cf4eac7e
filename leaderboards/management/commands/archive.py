"""`manage.py archive`: write the whole site to one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from games.db.archives.archive_format import ArchiveError
from games.db.archives.writing import delete_old, write_archive
from leaderboards.management.documented_command import ExplainedCommand

#: Names of the archives in a folder, which sort by time.
NAMES: Final = "talon-%Y-%m-%dT%H%M%S.zip"


class Command(ExplainedCommand):
    """Command that writes an archive, and deletes old ones."""

    help = (
        "Write the whole site to one file while it runs: every row of the database, for any kind of database and any "
        "later release. `restore` reads it. It holds everything players entrusted to the site, so store it safely. "
        "SECRET_KEY and LEDGER_KEY are not in it: store them too."
    )
    epilog = (
        "examples:\n"
        "  manage.py archive talon.zip\n"
        "  manage.py archive backups/ --keep 14     a new file named by the time, and only the 14 newest stay\n\n"
        "exit codes: 0 written, 1 not written"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file or folder, and how many archives stay there."""
        parser.add_argument("path", type=Path, help="a new file, or an existing folder")
        parser.add_argument("--keep", type=int, metavar="N", help="in a folder: delete all but the N newest archives")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Write the archive, then delete old ones."""
        path, keep = options["path"], options["keep"]
        is_folder = path.is_dir()
        if keep is not None and (keep < 1 or not is_folder):
            raise CommandError("--keep takes a number from 1, and a folder")
        file = path / timezone.now().strftime(NAMES) if is_folder else path
        if file.exists():
            raise CommandError(f"{file} exists already")
        try:
            manifest = write_archive(file, lambda table, rows: self.stdout.write(f"{rows:>10} {table}"))
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file}: {sum(manifest.rows.values())} rows, {file.stat().st_size / 1e6:.1f} MB")
        for old in delete_old(path, "talon-*.zip", keep) if keep else []:
            self.stdout.write(f"deleted {old}")
