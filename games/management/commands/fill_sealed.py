"""`manage.py fill_sealed`: certify deals and put them in stock."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from tqdm import tqdm

from games.deals import publishing, sealed_stock
from games.management.command_helpers import INTERRUPTED, add_variant_option, interruption, positive
from games.models import SealedDeal
from games.rules import CATALOGUE


class Command(BaseCommand):
    """Fill the stock of sealed deals."""

    help = (
        "Certify deals and add them to the stock: draw seeds, find a winning line and grade the deal, until the stock "
        "has SEALED_STOCK deals of each variant, with every grade. Daily deals that wait for one are published as soon "
        "as it is certified. Can be stopped at any time without leaving incomplete deals. "
        "Exit codes: 0 done, 1 out of time, 2 invalid options, 130 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for variants, number of deals and time."""
        add_variant_option(parser)
        parser.add_argument(
            "--count", type=positive, help="seal this many deals of each variant, regardless of the stock"
        )
        parser.add_argument("--seconds", type=positive, help="stop after this many seconds")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401
        """Fill the stock, with a progress bar."""
        names: Sequence[str] = options["variant"] or list(CATALOGUE)
        over = sealed_stock.stop_after(options["seconds"])
        total = options["count"] * len(names) if options["count"] else sealed_stock.shortage(names)
        done = 0
        with interruption() as interrupted, tqdm(total=total, unit="deal", disable=not sys.stderr.isatty()) as bar:
            for sealed in _sealing(names, options["count"], lambda: interrupted.is_set() or over()):
                done += 1
                bar.set_postfix_str(f"{sealed.variant}, grade {sealed.grade}, par {sealed.par}")
                bar.update()
        if interrupted.is_set():
            self.stdout.write(f"Interrupted; {done} sealed.")
            sys.exit(INTERRUPTED)
        self.stdout.write(f"{done} sealed.")
        unfinished = done < total if options["count"] else sealed_stock.next_variant(names) is not None
        if unfinished:
            sys.exit(1)


def _sealing(names: Sequence[str], count: int | None, stop: sealed_stock.Stop) -> Iterator[SealedDeal]:
    """Seal deals, and publish the daily deals waiting for one after each."""
    publishing.ensure_deals(timezone.now().date())
    sealed = sealed_stock.fill(names, stop=stop) if count is None else sealed_stock.fill_each(names, count, stop=stop)
    for deal in sealed:
        publishing.ensure_deals(timezone.now().date())
        yield deal
