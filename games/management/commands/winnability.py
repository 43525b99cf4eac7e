"""`manage.py winnability`: measure the share of random deals that can be won."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.rules import CATALOGUE, RulesError, open_table
from games.rules.position_text import read_options
from games.solver import study, winnability_figures

INTERRUPTED = 130


class Command(BaseCommand):
    """Solve many random deals and report the shares winnable, lost and undecided."""

    help = (
        "Solve random deals of variants on all cores, and print the shares of deals won, proved lost and undecided, "
        "with 95 % intervals (Wilson). Can be stopped and resumed: solved deals are stored. --keep publishes the "
        "figures on the page /winnability/. Exit codes: 0 done, 2 bad arguments, 130 stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("variants", nargs="*", help=f"of {', '.join(CATALOGUE)} (default: all), or a game with -o")
        parser.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="a game's option")
        parser.add_argument("--deals", type=int, default=1000, help="deals of each variant (default: %(default)s)")
        parser.add_argument("--nodes", type=int, default=1_000_000, help="positions per deal (default: %(default)s)")
        parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: one per core")
        parser.add_argument("--state", type=Path, help="directory of the solved deals (default: in VAR_DIR)")
        parser.add_argument("--keep", action="store_true", help="publish these figures on the page")

    def handle(self, *_: object, **options: Any) -> None:  # noqa: ANN401 -- Django's
        if min(options["deals"], options["nodes"], options["processes"]) < 1:
            raise CommandError("deals, nodes and processes must be positive", returncode=2)
        if options["keep"]:
            _check_may_publish(options)
        directory: Path = options["state"] or Path(settings.VAR_DIR) / "winnability"
        summaries = []
        for name in options["variants"] or list(CATALOGUE):
            subject = study.Study(name, read_options(options["option"]) or None, options["nodes"])
            try:
                open_table(subject.name, bytes(32), subject.options)
            except RulesError as error:
                raise CommandError(str(error), returncode=2) from None
            summaries.append(self._run(subject, options["deals"], options["processes"], directory))
        self.stdout.write(winnability_figures.as_table(summaries))
        if options["keep"]:
            winnability_figures.write(winnability_figures.renewed(winnability_figures.read(), summaries))

    def _run(
        self, subject: study.Study, deals: int, processes: int, directory: Path
    ) -> winnability_figures.StudySummary:
        """Solve the deals of one variant that are not in its state file yet."""
        state = study.State(directory / f"{subject.label.replace(' ', '_')}-{subject.nodes}.jsonl")
        missing = [number for number in range(deals) if number not in state.judged]
        bar = tqdm(
            total=deals, initial=deals - len(missing), desc=subject.label, unit="deal", disable=not sys.stderr.isatty()
        )
        judging = study.judge_all(subject, missing, processes)
        try:
            for deal in judging:
                state.add(deal)
                bar.update()
        except KeyboardInterrupt:
            self.stderr.write(f"\nstopped; {len(state.judged)} deals of {subject.label} are stored")
            sys.exit(INTERRUPTED)
        finally:
            bar.close()
        return study.summary(subject, [state.judged[number] for number in range(deals)])


def _check_may_publish(options: dict[str, Any]) -> None:
    """Check that `--keep` applies: only catalogue variants, and no stored study with more deals is replaced.

    :raises CommandError: otherwise.
    """
    if options["option"] or not set(options["variants"]) <= CATALOGUE.keys():
        raise CommandError("--keep is for variants of the catalogue", returncode=2)
    requested = options["variants"] or list(CATALOGUE)
    for row in winnability_figures.read():
        if row.variant in requested and row.deals > options["deals"]:
            raise CommandError(f"a study of {row.deals:,} deals of {row.variant} is stored already", returncode=2)
