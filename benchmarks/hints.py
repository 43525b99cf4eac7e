"""Searches for hints: CPU seconds until an answer, and the share of undecided positions, by variant.

`python -m benchmarks.hints [VARIANT ...] [--positions N] [--seed SEED]`; exit code 1 if an aim is missed. Every second
deal is winnable, as practice deals are by default; the others are random. A simulated player of one of three skills
plays each to a random point, and the position there is searched with the budget of a question. CPU seconds of this
process are counted, so a busy machine changes little; the overhead of the search process is printed separately. The
positions differ in each run; `--seed` repeats those of a run.
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

from games.hints.position_search import FULL, PositionQuestion, Searcher, search
from games.rules import CATALOGUE, Table, open_table
from games.solver import Budget, Solution, solve
from games.solver.simulated_players import SKILLS, skilled_game

EASY = "labyrinth"
MEDIAN_AIM_S = 2.0
UNKNOWN_AIM = 0.05
#: Budget to certify a deal, in search positions.
CERTIFYING = 300_000


@dataclass(frozen=True)
class Answer:
    """The answer to a question, and the CPU seconds it took."""

    answer: str
    seconds: float


def positions(variant: str, chance: Random) -> Iterator[Table]:
    """Yield practice positions endlessly."""
    for number in count():
        seed = chance.randbytes(32)
        if number % 2 and not isinstance(solve(open_table(variant, seed), Budget(nodes=CERTIFYING)), Solution):
            continue
        table = open_table(variant, seed)
        skilled_game(table, SKILLS[chance.choice(list(SKILLS))], chance)
        if table.moves:
            yield after(open_table(variant, seed), table.moves[: chance.randrange(len(table.moves))])


def after(table: Table, tokens: tuple[str, ...]) -> Table:
    """Push the tokens, and return the table."""
    for token in tokens:
        table.push(token)
    return table


def answered(table: Table) -> Answer:
    """Search a position with the full budget of a question."""
    begun = time.process_time()
    verdict = next(search(PositionQuestion(table.position(), FULL)))
    return Answer(verdict.answer, time.process_time() - begun)


def overhead(searcher: Searcher) -> float:
    """Return the wall-clock seconds that a search process takes to answer an easy question."""
    table = open_table(EASY, bytes(32))
    begun = time.monotonic()
    searcher.ask(table.position(), FULL, lambda: True)
    return time.monotonic() - begun


def print_overhead() -> None:
    """Print the overhead of a new search process, and of a running one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    searcher = Searcher()
    started, running = overhead(searcher), overhead(searcher)
    searcher.process.kill()
    print(f"overhead of the search process: {started:.2f} s for a new one, {running:.2f} s for a running one")


def measure(variant: str, number: int, seed: str) -> bool:
    """Search `number` positions, print the figures, and return whether the aims are reached."""
    answers = [answered(table) for table in islice(positions(variant, Random(f"{seed} {variant}")), number)]
    seconds = [one.seconds for one in answers]
    median = statistics.median(seconds)
    lost, unknown = (statistics.mean(one.answer == answer for one in answers) for answer in ("no", "unknown"))
    reached = median < MEDIAN_AIM_S and unknown < UNKNOWN_AIM
    result = "ok" if reached else "MISSED"
    print(f"{variant:<14} {median:>9.2f} {high(seconds):>8.2f} {lost:>8.0%} {unknown:>10.1%}   {result}", flush=True)
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
    print_overhead()
    print(f"aims: median under {MEDIAN_AIM_S:g} s, undecided under {UNKNOWN_AIM:.0%}")
    print("variant         median s    p95 s     lost  undecided")
    reached = [measure(variant, options.positions, options.seed) for variant in options.variants]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
