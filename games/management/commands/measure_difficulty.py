"""`manage.py measure_difficulty`: measure the reference sample behind the grades, and check the grades."""

from __future__ import annotations

import csv
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from itertools import chain, count, zip_longest
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from games.deals import grade_check, grade_fitting
from games.deals.certification import BUDGET, certify
from games.deals.difficulty import WEIGHTS, DifficultyFigures, Weights, sample_seed
from games.deals.grade_check import Checked, Sampled
from games.rules import CATALOGUE, open_table
from games.solver import Budget, Solution, shorten, solve
from games.solver.full_shortening import shorten_fully
from games.solver.simulated_players import SKILLS

COLUMNS: Final = ("variant", "number", "random_wins", "greedy_wins", "nodes", "line", "score")
PAR_COLUMNS: Final = ("variant", "number", "line", "par", "settled", "seconds")
TOO_FEW, GRADES_FAIL = 3, 4


class Command(BaseCommand):
    """Measure a sample of winnable deals of each variant, or check the grades against simulated or real players."""

    help = (
        "Certify deals of each variant from reproducible seeds (SHA-256 of 'talon difficulty <variant> <number>'), "
        "write their figures to a CSV file, and print the scores that divide them into fifths. Resumes where the file "
        "ends. With --from-results, print the weights and thresholds that fit players' results on past daily deals. "
        "With --pars, shorten the sample's lines and store their lengths. With --check, have simulated players of "
        "three skills play the sample, and store their wins. "
        "Exit codes: 0 done, 2 bad arguments, 3 too few results, 4 the grades do not hold."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the sample's size and file, and the alternative modes."""
        parser.add_argument("--count", type=int, default=100, help="winnable deals of each variant (default 100)")
        parser.add_argument("--file", type=Path, default=Path("docs/difficulty.csv"))
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--pars", type=Path, metavar="FILE", help="write the pars of the first deals to a CSV file"
        )
        instead.add_argument("--from-results", action="store_true", help="fit the weights to players' results")
        instead.add_argument(
            "--check", type=Path, metavar="FILE", help="write the wins of simulated players to a CSV file"
        )

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401
        """Run the selected mode."""
        if options["pars"]:
            self._store_pars(_read(options["file"]), options["pars"], options["count"])
        elif options["from_results"]:
            self._refit(_read(options["file"]))
        elif options["check"]:
            self._check(_read(options["file"]), options["check"], options["count"])
        else:
            self._measure(options["file"], options["count"])

    def _measure(self, file: Path, target: int) -> None:
        """Measure the deals missing from the file, then print the thresholds."""
        sample = _read(file) if file.exists() else []
        with file.open("a", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if not sample:
                writer.writerow(COLUMNS)
            for variant in tqdm(CATALOGUE, unit="variant", disable=not sys.stderr.isatty()):
                existing = [deal.number for deal in sample if deal.variant == variant]
                for deal in _measured(variant, existing[-1] + 1 if existing else 0, target - len(existing)):
                    writer.writerow([deal.variant, deal.number, *_cells(deal.figures)])
                    stream.flush()
        self._print(_read(file), WEIGHTS)

    def _store_pars(self, sample: Sequence[Sampled], file: Path, target: int) -> None:
        """Shorten the lines of each variant's first deals, round-robin, and print the medians of line and par.

        Deals already in the file are skipped.
        """
        queue = [deal for turn in zip_longest(*_first_deals(sample, target)) for deal in turn if deal is not None]
        existing = _pars(file) if file.exists() else []
        with file.open("a", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if not existing:
                writer.writerow(PAR_COLUMNS)
            present = {(row["variant"], int(row["number"])) for row in existing}
            missing = [deal for deal in queue if (deal.variant, deal.number) not in present]
            for deal in tqdm(missing, unit="deal", disable=not sys.stderr.isatty()):
                writer.writerow(_par_row(deal))
                stream.flush()
        for variant in CATALOGUE:
            of = [row for row in _pars(file) if row["variant"] == variant]
            middle = [median(int(row[column]) for row in of) for column in ("line", "par")]
            self.stdout.write(f"{variant}: line {middle[0]:g}, par {middle[1]:g} ({len(of)} deals)")

    def _print(self, sample: Sequence[Sampled], weights: Weights) -> None:
        """Print the thresholds under these weights, and the medians of the figures."""
        for variant in CATALOGUE:
            of = [deal.figures for deal in sample if deal.variant == variant]
            scores = [round(weights.score(figures.terms), 2) for figures in of]  # rounded as in the file
            middle = {field.name: median(getattr(row, field.name) for row in of) for field in fields(DifficultyFigures)}
            parts = ", ".join(f"{part:.1f}" for part in quantiles(scores, n=5))
            self.stdout.write(f"{variant}: {parts} ({len(of)} deals, {middle})")

    def _refit(self, sample: Sequence[Sampled]) -> None:
        """Fit the weights to people's results and print them if they predict better than the present ones."""
        results = grade_fitting.deal_results(timezone.now())
        try:
            usable = grade_fitting.usable_deals(results)
        except grade_fitting.TooFewResultsError as error:
            raise CommandError(str(error), returncode=TOO_FEW) from None
        deals = list(grade_fitting.measured(tqdm(usable, unit="deal", disable=not sys.stderr.isatty())))
        refit = grade_fitting.refit(deals)
        self.stdout.write(f"fitted to {refit.results:,} results at {refit.deals:,} deals")
        left_out = [name for name in CATALOGUE if name not in {deal.variant for deal in deals}]
        if left_out:
            self.stdout.write(f"too few results of {', '.join(left_out)}: graded by the weights of the others")
        self.stdout.write(f"loss at deals left out: {refit.loss:.4f}, of the present weights {refit.present_loss:.4f}")
        if not refit.is_better:
            self.stdout.write("The present weights tell wins as well: keep them.")
            return
        for field in fields(Weights):
            present, fitted = getattr(WEIGHTS, field.name), getattr(refit.weights, field.name)
            self.stdout.write(f"{field.name}: {fitted:.2f} instead of {present:g}")
        self._print(sample, refit.weights)

    def _check(self, sample: Sequence[Sampled], file: Path, target: int) -> None:
        """Let the simulated players try each variant's first deals; print their win shares and write their results."""
        bar = tqdm([*chain(*_first_deals(sample, target))], unit="deal", disable=not sys.stderr.isatty())
        checked = grade_check.totals((deal, grade_check.try_deal(deal)) for deal in bar)
        with file.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow([field.name for field in fields(Checked)])
            writer.writerows(astuple(row) for row in checked)
        for skill in SKILLS:
            shown = ", ".join(f"{100 * share:.1f} %" for share in grade_check.shares(checked, skill))
            self.stdout.write(f"{skill}: {shown}")
        if failing := grade_check.failures(checked):
            raise CommandError(f"the grades do not hold for {', '.join(failing)}", returncode=GRADES_FAIL)


def _first_deals(sample: Sequence[Sampled], target: int) -> list[list[Sampled]]:
    return [[deal for deal in sample if deal.variant == variant][:target] for variant in CATALOGUE]


def _measured(variant: str, first: int, target: int) -> Iterator[Sampled]:
    """Yield winnable deals from a number on; only the node budget limits the search, so the sample is reproducible."""
    for number in count(first):
        if target <= 0:
            return
        certificate = certify(variant, sample_seed(variant, number), budget=Budget(nodes=BUDGET.nodes))
        if certificate is not None and certificate.figures is not None:
            target -= 1
            yield Sampled(variant, number, certificate.figures)


def _par_row(deal: Sampled) -> list[object]:
    """Return a row of the file of pars; the seconds are CPU time spent on full shortening alone."""
    table = open_table(deal.variant, sample_seed(deal.variant, deal.number))
    result = solve(table, Budget(nodes=BUDGET.nodes))
    assert isinstance(result, Solution)
    line = shorten(table, result.tokens)
    began = time.process_time()
    full = shorten_fully(table, line)
    seconds = time.process_time() - began
    return [deal.variant, deal.number, len(line), len(full.tokens), int(full.is_settled), f"{seconds:.2f}"]


def _pars(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def _cells(figures: DifficultyFigures) -> list[object]:
    return [figures.random_wins, figures.greedy_wins, figures.nodes, figures.line, f"{figures.score:.2f}"]


def _read(file: Path) -> list[Sampled]:
    try:
        with file.open(newline="") as stream:
            return [_sampled(row) for row in csv.DictReader(stream)]
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}", returncode=2) from None


def _sampled(row: dict[str, str]) -> Sampled:
    random_wins, greedy_wins = float(row["random_wins"]), float(row["greedy_wins"])
    return Sampled(
        row["variant"],
        int(row["number"]),
        DifficultyFigures(random_wins, greedy_wins, int(row["nodes"]), int(row["line"])),
    )
