"""`manage.py measure_difficulty`: the reference sample that the grades' thresholds come from."""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from django.core.management.base import BaseCommand
from tqdm import tqdm

from games.deals.certification import BUDGET, certify
from games.deals.difficulty import Figures
from games.rules import CATALOGUE
from games.solver import Budget

COLUMNS: Final = ("variant", "number", "random_wins", "greedy_wins", "nodes", "par", "score")


class Command(BaseCommand):
    """Measure a sample of winnable deals of each variant."""

    help = (
        "Certify deals of each variant from seeds that anybody can make again, SHA-256 of 'talon difficulty <variant> "
        "<number>', write their figures to a CSV file, and print the scores that part a fifth from the next. Goes on "
        "where the file ends."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many, and where to."""
        parser.add_argument("--count", type=int, default=100, help="winnable deals of each variant (default 100)")
        parser.add_argument("--file", type=Path, default=Path("docs/difficulty.csv"))

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401
        """Measure what is missing, then print the table."""
        file: Path = options["file"]
        rows = _read(file)
        with file.open("a", newline="") as stream:
            writer = csv.writer(stream)
            if not rows:
                writer.writerow(COLUMNS)
            for variant in tqdm(CATALOGUE, unit="variant", disable=not sys.stderr.isatty()):
                done = [row for row in rows if row["variant"] == variant]
                first = int(done[-1]["number"]) + 1 if done else 0
                for number, figures in _measured(variant, first, options["count"] - len(done)):
                    writer.writerow([variant, number, *_cells(figures)])
                    stream.flush()
        self._print(_read(file))

    def _print(self, rows: list[dict[str, str]]) -> None:
        for variant in CATALOGUE:
            of = [row for row in rows if row["variant"] == variant]
            parts = quantiles([float(row["score"]) for row in of], n=5)
            middle = {name: median(float(row[name]) for row in of) for name in COLUMNS[2:]}
            self.stdout.write(f"{variant}: {', '.join(f'{part:.1f}' for part in parts)} ({len(of)} deals, {middle})")


def _measured(variant: str, first: int, wanted: int) -> Iterator[tuple[int, Figures]]:
    """Winnable deals from a number on; the node budget alone decides which, so that the sample is the same anywhere."""
    for number in count(first):
        if wanted <= 0:
            return
        seed = sha256(f"talon difficulty {variant} {number}".encode()).digest()
        found = certify(variant, seed, budget=Budget(nodes=BUDGET.nodes))
        if found is not None and found.figures is not None:
            wanted -= 1
            yield number, found.figures


def _cells(figures: Figures) -> list[object]:
    return [figures.random_wins, figures.greedy_wins, figures.nodes, figures.par, f"{figures.score:.2f}"]


def _read(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))
