"""`manage.py doctor`: names the cause of each fault of the site, with the command that repairs it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.doctor.check_list import QUICK, REPAIRS, THOROUGH, examine


class Command(BaseCommand):
    """Command that examines the site."""

    help = (
        "Examine the site and name the cause of each fault in one sentence, with the command that repairs it. "
        "Exit codes: 0 healthy, 1 faults found, 2 wrong options."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--fix", action="store_true", help="run the safe repairs: migrate, collectstatic, requeue")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument("--quick", action="store_true", help="skip indexes, ledger, boards and records")

    def handle(self, *_args: object, **options: Any) -> None:  # noqa: ANN401
        """Examine the site, and again after a repair."""
        checks = QUICK if options["quick"] else (*QUICK, *THOROUGH)
        findings = examine(checks)
        fixes = {finding.fix for finding in findings if finding.fix} if options["fix"] else set()
        for fix in sorted(fixes):
            self.stderr.write(f"Repairing: {fix}")
            REPAIRS[fix]()
        if fixes:
            findings = examine(checks)
        if options["json"]:
            self.stdout.write(json.dumps([finding._asdict() for finding in findings], indent=2))
        else:
            for finding in findings:
                self.stdout.write(f"{finding.fault}: {finding.cause}\n    {finding.command}")
            self.stdout.write(f"{len(findings)} faults found" if findings else "The site is healthy.")
        if findings:
            sys.exit(1)
