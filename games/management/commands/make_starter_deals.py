"""`manage.py make_starter_deals`: certify the deals shipped with the code."""

from __future__ import annotations

import json
import secrets
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from games.deals import numbered_deals, starter_deals
from games.deals.certification import certify
from games.deals.difficulty import GRADES, longest_par
from games.deals.sealed_stock import PATIENCE
from games.deals.starter_deals import StarterDeal
from games.rules import CATALOGUE, RULES_VERSION
from games.rules.shuffle import SEED_BYTES


class Command(BaseCommand):
    """Rewrite the file of starter deals."""

    help = (
        "Certify starter deals (for each variant, some of each grade for the days and for practice) and rewrite "
        "the file games/deals/starter_deals.json. Takes minutes with the compiled search."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for variants, numbers of deals and the file."""
        parser.add_argument("--variant", action="append", choices=list(CATALOGUE), help="only this one (default: all)")
        parser.add_argument("--days", type=int, default=1, help="deals of each grade for the days (default: 1)")
        parser.add_argument("--practice", type=int, default=2, help="deals of each grade for practice (default: 2)")
        parser.add_argument("--file", type=Path, default=starter_deals.FILE, help="the file to write")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401 - Django's signature
        """Certify the deals and write the file."""
        names = options["variant"] or list(CATALOGUE)
        total = len(GRADES) * (options["days"] + options["practice"]) * len(names)
        deals = list[StarterDeal]()
        with tqdm(total=total, unit="deal", disable=not sys.stderr.isatty()) as bar:
            for variant in names:
                for numbered, count in ((False, options["days"]), (True, options["practice"])):
                    for deal in _of_each_grade(variant, count, numbered=numbered):
                        deals.append(deal)
                        bar.update()
        lines = ",\n".join(f"  {json.dumps(deal.to_json())}" for deal in deals)
        options["file"].write_text(f"[\n{lines}\n]\n")
        self.stdout.write(f"{len(deals)} starter deals written to {options['file']}.")


def _of_each_grade(variant: str, count: int, *, numbered: bool) -> Iterator[StarterDeal]:
    missing = Counter(dict.fromkeys(GRADES, count))
    while +missing:
        number = numbered_deals.draw() if numbered else None
        seed = numbered_deals.seed_of(CATALOGUE[variant], number) if number else secrets.token_bytes(SEED_BYTES)
        deal = _certified(variant, seed, {grade for grade, left in missing.items() if left}, number)
        if deal is not None:
            missing[deal.grade] -= 1
            yield deal


def _certified(variant: str, seed: bytes, grades: Collection[int], number: int | None = None) -> StarterDeal | None:
    """Certify a deal if its grade is in `grades`; only then shorten its line fully, which takes most of the time."""
    certificate = certify(variant, seed)
    if certificate is None or certificate.grade not in grades:
        return None
    full = certify(variant, seed, patience=PATIENCE)
    if full is None or full.grade is None or full.par > longest_par(variant):
        return None
    return StarterDeal(variant, RULES_VERSION, seed, number, full.grade, full.record.tokens)
