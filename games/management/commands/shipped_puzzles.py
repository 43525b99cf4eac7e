"""`manage.py shipped_puzzles`: check the file of shipped puzzles, or add puzzles to it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.management.command_helpers import positive
from games.puzzles import shipped_file
from games.puzzles.generation.claim_check import FINDINGS, findings
from games.puzzles.generation.generator import is_rich
from games.puzzles.generation.likeness import PuzzleIndex
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow


class Command(BaseCommand):
    """Check the shipped file, or add to it."""

    help = (
        "Check the checksum of the shipped puzzles, and every claim of a random sample: by brute force with the rules "
        "alone, or, where that does not end, by the solver with another random stream. Or add the puzzles that "
        "make_puzzles has written to --file, except those near others. Exit codes: 0 fine, 1 a claim is wrong, "
        "2 invalid options or a damaged file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for the sample and for the files to add."""
        parser.add_argument("--add", type=Path, metavar="FILE", nargs="+", help="add the puzzles of these files")
        parser.add_argument("--sample", type=positive, default=500, help="the number of puzzles to check")
        parser.add_argument("--seed", type=int, default=0, help="number of the sample and of the solver's stream")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401 - Django's signature
        """Check or add, and print the counts."""
        try:
            rows = list(shipped_file.rows())
            if options["add"]:
                rows += [PuzzleRow.read(line) for file in options["add"] for line in file.read_text().splitlines()]
                rows = _without_near_ones(rows)
                shipped_file.write(rows)
        except (OSError, ValueError, KeyError) as error:
            raise CommandError(str(error), returncode=2) from None
        self._print_counts(rows)
        if not options["add"]:
            self._check(rows, options["sample"], options["seed"])

    def _print_counts(self, rows: list[PuzzleRow]) -> None:
        for variant, number in sorted(Counter(row.contents["variant"] for row in rows).items()):
            self.stdout.write(f"{variant}: {number} puzzles")
        rich = sum(is_rich([1 + len(turn) for turn in row.contents["losses"]]) for row in rows)
        self.stdout.write(f"in all: {len(rows)}, {rich} with three turns of three choices")

    def _check(self, rows: list[PuzzleRow], size: int, seed: int) -> None:
        found = Counter[str]()
        sample = Random(seed).sample(rows, min(size, len(rows)))  # noqa: S311 - repeatable, and nothing secret
        for row in tqdm(sample, unit="puzzle", disable=not sys.stderr.isatty()):
            claims = Counter(findings(Puzzle.from_json(row.contents), stream=seed + 2))
            found += claims
            if claims["wrong"]:
                self.stdout.write(f"wrong: {row.written()}")
        self.stdout.write(f"{len(sample)} checked: " + ", ".join(f"{name}: {found[name]}" for name in FINDINGS))
        if found["wrong"]:
            sys.exit(1)


def _without_near_ones(rows: list[PuzzleRow]) -> list[PuzzleRow]:
    """Drop puzzles that are near an earlier one. Shipped puzzles come first, so none of them is dropped."""
    index = PuzzleIndex()
    return [row for row in tqdm(rows, disable=not sys.stderr.isatty()) if index.add(Puzzle.from_json(row.contents))]
