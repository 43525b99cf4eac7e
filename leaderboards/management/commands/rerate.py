"""`manage.py rerate`: check that the stored ratings equal the fold over the races, and repair them."""

from __future__ import annotations

import sys
from typing import Any, Final

from django.core.management.base import CommandParser
from tqdm import tqdm

from leaderboards.management.documented_command import ExplainedCommand
from leaderboards.models import ProvisionalRating
from leaderboards.ratings import audit, fold_input, folding
from leaderboards.ratings.stores import STORES

#: Maximum number of faults printed; the rest are only counted.
SHOWN: Final = 50


class Command(ExplainedCommand):
    """Command that checks the ratings, and rates all races again if they differ."""

    help = (
        "Compute all ratings from the finished rated races and compare them with the stored ones. "
        "If they differ, rate all races again, without notifying the players."
    )
    epilog = (
        "examples:\n"
        "  manage.py rerate --check          print the differences without changing anything\n"
        "  manage.py rerate                  check, and correct the differences\n"
        "  manage.py rerate --from-scratch   discard the stored ratings and compute them again\n\n"
        "exit codes: 0 the stored ratings are correct, 1 something differed"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add options that select check only, or a rebuild without a check."""
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--check", action="store_true", help="print the differences without changing anything")
        mode.add_argument("--from-scratch", action="store_true", help="rate all races again without checking first")
        parser.add_argument("--no-progress", action="store_true", help="hide the progress bar")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Check and repair, or rebuild from scratch."""
        hidden = True if options["no_progress"] else None
        with folding.locked():
            count = fold_input.finished().count()
            if options["from_scratch"]:
                self._rate_all(count, hidden=hidden)
                return
            with tqdm(total=count, unit="race", desc="checking", disable=hidden) as bar:
                faults = list(audit.faults(bar.update))
            for fault in faults[:SHOWN]:
                self.stdout.write(fault)
            self.stdout.write(f"{count} races, {len(faults)} differences")
            if faults and not options["check"]:
                self._rate_all(count, hidden=hidden)
        if faults:
            sys.exit(1)

    def _rate_all(self, count: int, *, hidden: bool | None) -> None:
        for store in STORES:
            store.changes.objects.all().delete()
            store.ratings.objects.all().delete()
        first = fold_input.first()
        with tqdm(total=count, unit="race", desc="rating", disable=hidden) as bar:
            folded = folding.fold_from(first, bar.update) if first else 0
        self.stdout.write(f"{folded} races rated, {ProvisionalRating.objects.count()} players")
