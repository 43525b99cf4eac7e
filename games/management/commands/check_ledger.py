"""`manage.py check_ledger`: integrity check of the ledger."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.deals import ledger
from games.models import LedgerEntry


class Command(BaseCommand):
    """Check the ledger of deals."""

    help = (
        "Check the whole ledger: each line follows from the previous one, each daily deal has a line and is the one "
        "announced, its seed matches the commitment, and its winning record replays and wins. "
        "Exit codes: 0 valid, 1 faults found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option for a known head."""
        parser.add_argument("--head", metavar="HASH", help="a hash noted earlier, which must still be in the ledger")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401
        """Check the ledger and print every fault."""
        faults = [str(fault) for fault in ledger.check()]
        head = options["head"]
        if head and not LedgerEntry.objects.filter(hash=head).exists():
            faults.append("ledger: no line has the hash noted earlier")
        for fault in faults:
            self.stdout.write(fault)
        count = LedgerEntry.objects.count()
        last = LedgerEntry.objects.order_by("-index").values_list("hash", flat=True).first()
        self.stdout.write(f"{count} lines, {len(faults)} faults" + (f", head {last}" if last else ""))
        if faults:
            sys.exit(1)
