"""Analyses of random practice games: CPU time per game and the share of unknown positions, by variant.

`python -m benchmarks.analysis [VARIANT ...] [--games N]`; the exit code is 1 if a variant's median misses the target.
The deals are winnable, as in practice. The games are random, with a preference for foundations and a few undos, and end
when no move is left. CPU seconds exclude loading the search, and are compared with those of a million moves of `chess`,
measured after each game.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import count, islice

from benchmarks.references import Chess, announce, row
from games.analysis.findings import Findings, share_known
from games.analysis.game_search import AnalysisSearch, Task
from games.rules import CATALOGUE, Table, open_table
from games.solver import Budget, Solution, solve

#: The 40 seconds per game of docs/analysis.md are some four million moves of `chess`.
RATIO_AIM = 4.0
LONGEST = 300
#: Node budget for certifying a deal.
NODES = 300_000


def choose(table: Table, dice: random.Random) -> str | None:
    """Return a random player's next token, or None to give up."""
    legal = table.legal_moves()
    if not legal or dice.random() < 0.03:
        return "u" if table.can_undo and dice.random() < 0.6 else None if not legal else dice.choice(legal)
    upward = [token for token in legal if token.endswith("-f")]
    plays = [token for token in legal if token not in {"d", "n"}]
    if upward and dice.random() < 0.8:
        return dice.choice(upward)
    return dice.choice(plays if plays and dice.random() < 0.5 else legal)


def games(variant: str) -> Iterator[Task]:
    """Yield random games on certified deals."""
    for number in count():
        table = open_table(variant, sha256(b"talon analysis benchmark %d" % number).digest())
        found = solve(table, Budget(nodes=NODES))
        if isinstance(found, Solution):
            yield Task(table.position(), played(table, random.Random(number)), list(found.tokens))


def played(table: Table, dice: random.Random) -> list[str]:
    """Return the tokens of a random game."""
    tokens: list[str] = []
    while not table.is_won and len(tokens) < LONGEST and (token := choose(table, dice)) is not None:
        table.push(token)
        tokens.append(token)
    return tokens


def analyse(task: Task) -> tuple[float, Findings]:
    """Analyse a game, and return the CPU seconds and the findings."""
    search = AnalysisSearch(task)
    begun = time.process_time()
    (*_, last) = search.run()
    return time.process_time() - begun, last.findings


def measure(variant: str, number: int, board: Chess) -> bool:
    """Analyse games, print the figures, and return whether the target is met."""
    found, millions = list[tuple[float, Findings]](), list[float]()
    for task in islice(games(variant), number):
        found.append(analyse(task))
        millions.append(board.million())
    seconds = sorted(taken for taken, _ in found)
    ninth = seconds[min(number - 1, int(0.9 * number))]
    unknown = statistics.mean(1 - share_known(findings.verdicts) for _, findings in found)
    turned = sum(bool(findings.turns) for _, findings in found)
    size = statistics.median(len(findings.pack()) for _, findings in found)
    median = statistics.median(seconds)
    print(f"{variant:<14} {median:>9.1f} {ninth:>9.1f} {unknown:>11.1%} {turned:>9} {size:>9.0f}", flush=True)
    return row(f"{variant} beside a million chess moves", median, statistics.median(millions), "s", at_most=RATIO_AIM)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument("--games", type=int, default=10, help="games per variant (default: %(default)s)")
    options = parser.parse_args()
    announce()
    print(f"{options.games} games each: median s    p90 s   not known   turning     bytes")
    board = Chess()
    reached = [measure(variant, options.games, board) for variant in options.variants]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
