"""`manage.py verify`: judge the records of finished attempts again from their seeds and tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet
from tqdm import tqdm

from games.models import Attempt, Deal
from leaderboards.boards import entries, histogram
from leaderboards.boards.listings import deal_listings
from leaderboards.management.attempt_lookup import NOT_FOUND, finished_attempt
from leaderboards.management.documented_command import ExplainedCommand
from leaderboards.verdicts.reverification import Finding, finished_attempts, reverify

#: Maximum number of attempts read at a time.
BATCH: Final = 500


class Command(ExplainedCommand):
    """Command that judges an attempt, the attempts of a deal, or all of them."""

    help = (
        "Judge the records of finished attempts again from seed and tokens alone, settle differences and update the "
        "boards. Flags do not change (see `fairplay`), nor do staff decisions as long as the record replays."
    )
    epilog = (
        "examples:\n"
        "  manage.py verify 5f0c0d9e-…           one attempt, by its id on the site (or its number)\n"
        "  manage.py verify --deal 2026-11-21/braid\n"
        "  manage.py verify --all --dry-run\n\n"
        "exit codes: 0 nothing differed, 1 something differed, 2 no such attempt or deal"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add a required choice of an attempt, a deal, or all."""
        selection = parser.add_mutually_exclusive_group(required=True)
        selection.add_argument("attempt", nargs="?", metavar="ATTEMPT", help="the id of an attempt")
        selection.add_argument(
            "--deal", metavar="DEAL", help="a deal: its number, or DAY/VARIANT such as 2026-11-21/braid"
        )
        selection.add_argument("--all", action="store_true", help="every finished attempt")
        parser.add_argument("--dry-run", action="store_true", help="print the differences without changing anything")
        parser.add_argument("--no-progress", action="store_true", help="hide the progress bar")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Judge the selected attempts, and check the counts of the selected deals."""
        chosen, deals = _chosen(options)
        findings = self._judge(chosen, dry_run=options["dry_run"], progress=not options["no_progress"])
        faults = [fault for deal in deals for fault in self._count(deal, dry_run=options["dry_run"])]
        would = "would be" if options["dry_run"] else "was"
        for finding in findings:
            codes = f" ({', '.join(finding.codes)})" if finding.codes else ""
            self.stdout.write(f"{finding.attempt.public_id}: {finding.before} {would} {finding.after}{codes}")
        self.stdout.write(f"{self._judged} judged, {len(findings)} changed, {len(faults)} counts corrected")
        if findings or faults:
            sys.exit(1)

    def _judge(self, chosen: QuerySet[Attempt], *, dry_run: bool, progress: bool) -> list[Finding]:
        bar = tqdm(_one_by_one(chosen), total=chosen.count(), unit="attempt", disable=not progress or None)
        findings = []
        self._judged = 0
        for attempt in bar:
            self._judged += 1
            finding = reverify(attempt, dry_run=dry_run)
            if finding.changed:
                findings.append(finding)
        return findings

    def _count(self, deal_id: int, *, dry_run: bool) -> list[str]:
        """Return wrong counts of a deal's boards, and repair them unless it is a dry run."""
        faults = [fault for listing in deal_listings(deal_id) for fault in histogram.faults(listing)]
        if faults and not dry_run:
            entries.recount_board(deal_id)
        return faults


def _one_by_one(chosen: QuerySet[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts in order with one batch at a time in memory, without a server-side cursor."""
    last = 0
    while batch := list(chosen.filter(pk__gt=last)[:BATCH]):
        yield from batch
        last = batch[-1].pk


def _chosen(options: dict[str, Any]) -> tuple[QuerySet[Attempt], list[int]]:
    """Return the attempts to judge, and the deals whose counts to check."""
    if options["all"]:
        return finished_attempts(), list(Deal.objects.filter(day__isnull=False).values_list("pk", flat=True))
    if options["deal"]:
        deal = _deal(options["deal"])
        return finished_attempts().filter(deal=deal), [deal.pk]
    attempt = finished_attempt(options["attempt"])
    return finished_attempts().filter(pk=attempt.pk), []


def _deal(text: str) -> Deal:
    day, slash, variant = text.partition("/")
    try:
        key = {"day": date.fromisoformat(day), "variant": variant} if slash else {"pk": int(text)}
        deal = Deal.objects.filter(**key).first()
    except ValueError:
        deal = None
    if deal is None:
        raise CommandError(f"There is no deal {text!r}.", returncode=NOT_FOUND)
    return deal
