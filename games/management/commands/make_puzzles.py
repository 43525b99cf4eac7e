"""`manage.py make_puzzles`: find puzzles in games of simulated players, and store them or write them to a file."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.management.command_helpers import INTERRUPTED, add_variant_option, interruption, positive
from games.puzzles import store
from games.puzzles.generation.generator import find_puzzle
from games.puzzles.puzzle import Puzzle
from games.rules import CATALOGUE

NICENESS: Final = 19

Missing = dict[str, float]
"""How many puzzles of each variant to find."""
Keep = Callable[[Puzzle], None]


class Command(BaseCommand):
    """Find puzzles for some hours."""

    help = (
        "Find puzzles in games of simulated players on random deals, variant by variant in turn, at the lowest "
        "priority. Stores each puzzle in the database as soon as it is proven, or adds it to a file of puzzles if "
        "there is a --file. Can be stopped at any time with Ctrl-C; puzzles found so far are kept. "
        "Exit codes: 0 done, 1 out of time before the file has --count puzzles of each variant, 2 invalid options, "
        "130 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for time, variants and the file."""
        parser.add_argument("--hours", type=_hours, required=True, help="stop after this time, such as 0.5")
        add_variant_option(parser)
        parser.add_argument("--file", type=Path, help="add the puzzles to this JSON file, and store none")
        parser.add_argument("--count", type=positive, help="with --file: stop at this many puzzles of each variant")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401 - Django's signature
        """Find puzzles, with a progress bar, and print a summary."""
        file, count, names = options["file"], options["count"], options["variant"] or list(CATALOGUE)
        if (file is None) != (count is None):
            raise CommandError("--file and --count go together", returncode=2)
        if file is None:
            store.ensure_any()  # while there are puzzles, the shipped ones are not added
            missing: Missing = dict.fromkeys(names, math.inf)
            keep: Keep = _store
        else:
            missing, keep = _filling(file, names, count)
        os.nice(NICENESS)
        with interruption() as stop:
            self._run(missing, keep, stop, options["hours"])
        if stop.is_set():
            self.stdout.write("Interrupted.")
            sys.exit(INTERRUPTED)
        if file is not None and any(missing.values()):
            sys.exit(1)

    def _run(self, missing: Missing, keep: Keep, stop: Event, hours: float) -> None:
        games, found = Counter[str](), Counter[str]()
        deadline = time.monotonic() + hours * 3600
        total = sum(missing.values())
        with tqdm(total=None if total == math.inf else total, unit="puzzle", disable=not sys.stderr.isatty()) as bar:
            for variant, puzzle in _search(missing, lambda: stop.is_set() or time.monotonic() >= deadline):
                games[variant] += 1
                bar.set_postfix_str(f"{games.total()} games, {variant}")
                if puzzle is not None:
                    keep(puzzle)
                    found[variant] += 1
                    bar.update()
        for name in missing:
            self.stdout.write(f"{name}: {found[name]} puzzles in {games[name]} games")


def _store(puzzle: Puzzle) -> None:
    store.add([puzzle])


def _filling(file: Path, names: Sequence[str], count: int) -> tuple[Missing, Keep]:
    """Return the numbers of puzzles that a file lacks, and the function that adds a puzzle to it."""
    contents = _read(file)
    stored = Counter(puzzle.variant for puzzle in contents)

    def add(puzzle: Puzzle) -> None:
        contents.append(puzzle)
        _write(file, contents)

    return {name: max(0, count - stored[name]) for name in names}, add


def _search(missing: Missing, stop: Callable[[], bool]) -> Iterator[tuple[str, Puzzle | None]]:
    """Play a game of each variant in turn, and yield each with its puzzle; counts `missing` down."""
    chance = SystemRandom()
    while unfinished := [name for name, number in missing.items() if number]:
        for variant in unfinished:
            if stop():
                return
            puzzle = find_puzzle(variant, chance)
            missing[variant] -= puzzle is not None
            yield variant, puzzle


def _read(file: Path) -> list[Puzzle]:
    if not file.exists():
        return []
    try:
        return [Puzzle.from_json(row) for row in json.loads(file.read_text())]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CommandError(f"{file}: {error}", returncode=2) from None


def _write(file: Path, puzzles: Sequence[Puzzle]) -> None:
    """Rewrite the file, one puzzle on each line, so that a kill leaves the old or the new one."""
    lines = ",\n".join(f"  {json.dumps(puzzle.to_json())}" for puzzle in sorted(puzzles, key=_place))
    draft = file.with_suffix(".draft")
    draft.write_text(f"[\n{lines}\n]\n")
    draft.replace(file)


def _place(puzzle: Puzzle) -> int:
    return list(CATALOGUE).index(puzzle.variant)


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0
    if not 0 < hours < math.inf:
        raise ArgumentTypeError(f"a number above 0, not {text!r}")
    return hours
