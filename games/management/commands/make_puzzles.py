"""`manage.py make_puzzles`: find puzzles in games of simulated players, and store them or write them to a file."""

from __future__ import annotations

import math
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.management.command_helpers import INTERRUPTED, add_variant_option, interruption, positive
from games.manifests import VARIANTS
from games.puzzles import store
from games.puzzles.generation.generator import puzzles_of_deal
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow

NICENESS: Final = 19

Missing = dict[str, float]
"""How many puzzles of each variant to find."""
Keep = Callable[[Puzzle], None]


class Command(BaseCommand):
    """Find puzzles for some hours."""

    help = (
        "Find puzzles in games of simulated players on random deals, with equal time for each variant, at the lowest "
        "priority. Stores each puzzle in the database as soon as it is proven, or appends it to a --file, which "
        "shipped_puzzles --add reads. Can be stopped at any time with Ctrl-C; puzzles found so far are kept. "
        "Exit codes: 0 done, 1 out of time before the file has --count puzzles of each variant, 2 invalid options, "
        "130 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for time, variants and the file."""
        parser.add_argument("--hours", type=_hours, required=True, help="stop after this time, such as 0.5")
        add_variant_option(parser)
        parser.add_argument("--rich", action="store_true", help="only puzzles with three turns of three choices")
        parser.add_argument("--file", type=Path, help="append the puzzles to this file, one a line, and store none")
        parser.add_argument("--count", type=positive, help="with --file: stop at this many puzzles of each variant")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401 - Django's signature
        """Find puzzles, with a progress bar, and print a summary."""
        file, count = options["file"], options["count"]
        names = options["variant"] or [name for name, facts in VARIANTS.items() if facts.puzzle_points is not None]
        if (file is None) != (count is None):
            raise CommandError("--file and --count go together", returncode=2)
        if file is None:
            store.ensure_any()
            missing: Missing = dict.fromkeys(names, math.inf)
            keep: Keep = _store
        else:
            stored = _count(file)
            missing, keep = {name: max(0, count - stored[name]) for name in names}, _appending(file)
        os.nice(NICENESS)
        with interruption() as stop:
            self._run(missing, keep, stop, options["hours"], rich=options["rich"])
        if stop.is_set():
            self.stdout.write("Interrupted.")
            sys.exit(INTERRUPTED)
        if file is not None and any(missing.values()):
            sys.exit(1)

    def _run(self, missing: Missing, keep: Keep, stop: Event, hours: float, *, rich: bool) -> None:
        deals, found = Counter[str](), Counter[str]()
        deadline = time.monotonic() + hours * 3600
        total = sum(missing.values())
        with tqdm(total=None if total == math.inf else total, unit="puzzle", disable=not sys.stderr.isatty()) as bar:
            for variant, puzzles in _search(missing, lambda: stop.is_set() or time.monotonic() >= deadline, rich=rich):
                deals[variant] += 1
                bar.set_postfix_str(f"{deals.total()} deals, {variant}")
                for puzzle in puzzles:
                    keep(puzzle)
                    found[variant] += 1
                    bar.update()
        for name in missing:
            self.stdout.write(f"{name}: {found[name]} puzzles of {deals[name]} deals")


def _store(puzzle: Puzzle) -> None:
    store.add([PuzzleRow.of(puzzle)])


def _search(missing: Missing, stop: Callable[[], bool], *, rich: bool) -> Iterator[tuple[str, list[Puzzle]]]:
    """Play a deal of the variant that has had the least time, and yield each with its puzzles; count `missing` down."""
    chance = SystemRandom()
    spent = dict.fromkeys(missing, 0.0)
    while (unfinished := [name for name, number in missing.items() if number]) and not stop():
        variant = min(unfinished, key=spent.__getitem__)
        begun = time.process_time()
        puzzles = list(puzzles_of_deal(variant, chance, rich=rich))
        spent[variant] += time.process_time() - begun
        missing[variant] = max(0, missing[variant] - len(puzzles))
        yield variant, puzzles


def _count(file: Path) -> Counter[str]:
    """Return the number of puzzles of each variant in a file."""
    try:
        return Counter(_lines(file))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CommandError(f"{file}: {error}", returncode=2) from None


def _lines(file: Path) -> Iterator[str]:
    for line in file.read_text().splitlines() if file.exists() else ():
        yield PuzzleRow.read(line).contents["variant"]


def _appending(file: Path) -> Keep:
    """Return the function that appends a puzzle to a file."""

    def append(puzzle: Puzzle) -> None:
        with file.open("a") as opened:
            opened.write(f"{PuzzleRow.of(puzzle).written()}\n")

    return append


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0
    if not 0 < hours < math.inf:
        raise ArgumentTypeError(f"a number above 0, not {text!r}")
    return hours
