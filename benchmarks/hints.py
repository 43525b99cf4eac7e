"""Hint searches in practice: seconds per answer and the share of unknown positions, by variant.

`python -m benchmarks.hints [VARIANT ...] [--positions N] [--seed SEED]`; the exit code is 1 if a target is missed.
Every second deal is winnable, as practice deals are by default. Each is played to a random position by one of the
simulated players of three skills, and then searched with a question's budget. Seconds are of this process's CPU, so
that other load matters little; the overhead of a site's search process is printed separately. Positions are new in each
run; `--seed` repeats those of a run. `benchmarks.hint_games` measures whole games that follow hints.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from random import Random

from games.hints.asking import FULL, Searcher
from games.hints.search import search
from games.rules import CATALOGUE, Table, open_table
from games.solver import Budget, Solution, solve
from games.solver.players import SKILLS, skilled_game

EASY = "labyrinth"
MEDIAN_AIM_S = 2.0
UNKNOWN_AIM = 0.05
#: Node budget for certifying a deal.
CERTIFYING = 300_000


@dataclass(frozen=True)
class Answered:
    """Result of a question: the answer, and CPU seconds."""

    answer: str
    seconds: float


def positions(variant: str, chance: Random) -> Iterator[Table]:
    """Yield positions of practice games with moves left, without end."""
    for number in count():
        seed = chance.randbytes(32)
        if number % 2 and not isinstance(solve(open_table(variant, seed), Budget(nodes=CERTIFYING)), Solution):
            continue
        table = open_table(variant, seed)
        skilled_game(table, SKILLS[chance.choice(list(SKILLS))], chance)
        if table.moves:
            yield after(open_table(variant, seed), table.moves[: chance.randrange(len(table.moves))])


def after(table: Table, tokens: tuple[str, ...]) -> Table:
    """Return the table after these tokens."""
    for token in tokens:
        table.push(token)
    return table


def asked(table: Table) -> Answered:
    """Ask as a table does."""
    begun = time.process_time()
    found = search({"position": table.position(), "nodes": FULL.nodes, "seconds": FULL.seconds})
    return Answered(found["answer"], time.process_time() - begun)


def beside(searcher: Searcher) -> float:
    """Return the wall-clock seconds of a question that needs almost no search."""
    table = open_table(EASY, bytes(32))
    begun = time.monotonic()
    searcher.ask(table.position(), FULL, lambda: True)
    return time.monotonic() - begun


def told_beside() -> None:
    """Print the overhead of a process that must start, and of a running one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    searcher = Searcher()
    started, running = beside(searcher), beside(searcher)
    searcher.dismiss()
    print(f"additional wall-clock time: {started:.2f} s if a process has to start, {running:.2f} s if one is running")


def measure(variant: str, number: int, seed: str) -> bool:
    """Ask about this many positions, print the figures, and return whether the targets are met."""
    answers = [asked(table) for table in islice(positions(variant, Random(f"{seed} {variant}")), number)]
    seconds = [one.seconds for one in answers]
    median = statistics.median(seconds)
    lost, unknown = (statistics.mean(one.answer == answer for one in answers) for answer in ("no", "unknown"))
    reached = median < MEDIAN_AIM_S and unknown < UNKNOWN_AIM
    said = "ok" if reached else "MISSED"
    print(f"{variant:<14} {median:>9.2f} {high(seconds):>8.2f} {lost:>8.0%} {unknown:>10.1%}   {said}", flush=True)
    return reached


def high(seconds: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument("--positions", type=int, default=20, help="positions per variant (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="of the positions (default: a new one)")
    options = parser.parse_args()
    print(f"{options.positions} positions each; --seed {options.seed}")
    told_beside()
    print(f"targets: median under {MEDIAN_AIM_S:g} s, not known under {UNKNOWN_AIM:.0%}")
    print("variant         median s    p95 s     lost  not known")
    reached = [measure(variant, options.positions, options.seed) for variant in options.variants]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
