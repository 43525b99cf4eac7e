"""Independent check of the winning and losing moves of puzzles.

`python -m benchmarks.puzzle_proofs [FILE]` checks a file from `manage.py make_puzzles --file`, by default the shipped
puzzles. The exit code is 1 if a claim is wrong. A win is replayed by the rules. A loss is checked by a brute-force
search with the rules alone, and where that doesn't end, by the solver with another random stream and a larger budget.
If neither decides, the claim counts as undecided. It needs no database.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Literal

from tqdm import tqdm

from benchmarks.references import announce
from games.puzzles.puzzle import STARTERS, Puzzle
from games.rules import from_position
from games.solver import Budget, Solution, TokensError, Unwinnable, check_solution, solve
from tests.solver.exhaustive import can_be_won

#: Positions that the brute-force search visits before the solver is asked.
VISITED = 20_000
#: Twice the budget of the generator's second proof.
NODES = 100_000
SEED = 7
COLUMNS = ("puzzles", "winning moves", "losing moves", "by brute force", "by the solver", "undecided", "wrong")

Outcome = Literal["by brute force", "by the solver", "undecided", "wrong"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=STARTERS, help="by default the shipped puzzles")
    options = parser.parse_args()
    announce()
    found: dict[str, Counter[str]] = {}
    for row in tqdm(json.loads(options.file.read_text()), unit="puzzle", disable=not sys.stderr.isatty()):
        puzzle = Puzzle.from_json(row)
        found.setdefault(puzzle.variant, Counter()).update(claims(puzzle))
    print("| variant |", " | ".join(COLUMNS), "|")
    print("| --- |", " | ".join(["---:"] * len(COLUMNS)), "|")
    for variant, counts in [*sorted(found.items()), ("all", sum(found.values(), Counter()))]:
        print(f"| {variant} |", " | ".join(f"{counts[name]:,}" for name in COLUMNS), "|")
    return int(any(counts["wrong"] for counts in found.values()))


def claims(puzzle: Puzzle) -> Counter[str]:
    """Return the number of a puzzle's claims by kind and outcome."""
    counts = Counter({"puzzles": 1, "winning moves": len(puzzle.turns)})
    try:
        check_solution(from_position(puzzle.start), (*puzzle.line, *puzzle.finish))
    except TokensError:
        counts["wrong"] += 1
    for n, losses in zip(puzzle.turns, puzzle.losses, strict=True):
        for token in losses:
            table = puzzle.table_at(n)
            table.push(token)
            counts["losing moves"] += 1
            counts[checked_loss(table.position())] += 1
    return counts


def checked_loss(position: str) -> Outcome:
    """Return what confirms that a position is lost, or that nothing does."""
    truth = can_be_won(from_position(position), VISITED)
    if truth is not None:
        return "wrong" if truth else "by brute force"
    result = solve(from_position(position), Budget(nodes=NODES), seed=SEED)
    if isinstance(result, Solution):
        return "wrong"
    return "by the solver" if isinstance(result, Unwinnable) else "undecided"


if __name__ == "__main__":
    sys.exit(main())
