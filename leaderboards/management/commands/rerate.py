"""`manage.py rerate`: check that the stored ratings equal the fold over the races, and repair them."""

from __future__ import annotations

import sys
from typing import Any, Final

from django.core.management.base import CommandParser
from tqdm import tqdm

from leaderboards.management.explained import ExplainedCommand
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings import inputs, keeping, proof

#: Maximum number of faults printed; the rest are only counted.
SHOWN: Final = 50


class Command(ExplainedCommand):
    """Command that checks the ratings, and rates all races again if they differ."""

    help = (
        "Work out all ratings from the finished rated races and compare them with the stored ones. "
        "Where they differ, rate all races again; nobody is told of ratings that move by this."
    )
    epilog = (
        "examples:\n"
        "  manage.py rerate --check          say what differs and change nothing\n"
        "  manage.py rerate                  check, and put right what differs\n"
        "  manage.py rerate --from-scratch   throw the stored ratings away and work them out anew\n\n"
        "exit codes: 0 the stored ratings were what they should be, 1 something differed"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add options that select check only, or a rebuild without a check."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="say what differs and change nothing")
        what.add_argument("--from-scratch", action="store_true", help="rate all races again without checking first")
        parser.add_argument("--no-progress", action="store_true", help="without the progress bar")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Check and repair, or rebuild from scratch."""
        hidden = True if options["no_progress"] else None
        with keeping.locked():
            count = inputs.finished().count()
            if options["from_scratch"]:
                self._rate_all(count, hidden=hidden)
                return
            with tqdm(total=count, unit="race", desc="checking", disable=hidden) as bar:
                faults = list(proof.faults(bar.update))
            for fault in faults[:SHOWN]:
                self.stdout.write(fault)
            self.stdout.write(f"{count} races, {len(faults)} differences")
            if faults and not options["check"]:
                self._rate_all(count, hidden=hidden)
        if faults:
            sys.exit(1)

    def _rate_all(self, count: int, *, hidden: bool | None) -> None:
        RatingChange.objects.all().delete()
        Rating.objects.all().delete()
        first = inputs.first()
        with tqdm(total=count, unit="race", desc="rating", disable=hidden) as bar:
            folded = keeping.fold_from(first, bar.update) if first else 0
        self.stdout.write(f"{folded} races rated, {Rating.objects.count()} ratings")
