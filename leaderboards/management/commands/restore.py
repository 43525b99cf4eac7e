"""`manage.py restore`: fill an empty database from an archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from games.db.archives.archive_format import ArchiveError
from games.db.archives.restoring import restore_archive
from leaderboards.management.documented_command import ExplainedCommand


class Command(ExplainedCommand):
    """Command that restores an archive and checks the result."""

    help = (
        "Fill a new, empty database with an archive of this or an earlier release, of either kind of database. Then "
        "check the ledger and replay every finished game. Stop the site first, and start it with the SECRET_KEY it had."
    )
    epilog = (
        "examples:\n"
        "  DATABASE_URL=postgres://… manage.py restore talon.zip\n"
        "  manage.py restore talon.zip --no-replay  without replaying the games, which takes longest\n\n"
        "exit codes: 0 restored, and everything checked holds, 1 not restored, or a check failed"
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file, and the choice not to replay the games."""
        parser.add_argument("path", type=Path, help="an archive")
        parser.add_argument("--no-replay", action="store_true", help="do not replay the finished games")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Restore the archive, then check the ledger and the games."""
        try:
            manifest = restore_archive(options["path"], lambda table, rows: self.stdout.write(f"{rows:>10} {table}"))
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        rows, made_at = sum(manifest.rows.values()), f"{manifest.made_at:%Y-%m-%d %H:%M}"
        self.stdout.write(f"{rows} rows of release {manifest.release}, archived at {made_at} UTC")
        holds = self._holds("check_ledger")
        if not options["no_replay"]:
            holds = self._holds("verify", all=True, dry_run=True) and holds
        sys.exit(0 if holds else 1)

    def _holds(self, check: str, **options: Any) -> bool:  # noqa: ANN401
        try:
            call_command(check, stdout=self.stdout, **options)
        except SystemExit:
            return False
        return True
