"""Certification: CPU seconds per winnable deal of each variant, compiled and plain, and 300 deals of Stonewall.

`python -m benchmarks.solver [--deals N]`; the exit code is 1 if a target is missed. `--markdown` prints the table of
docs/winnability.md; `--stonewall` measures only the 300 deals. Stonewall's deals are new in each run; `--seed` repeats
those of a run. CPU seconds are compared with those of a million moves of `chess`, measured before and after. Solvitaire
takes 36.5 s for such deals on a machine where `chess` pushes 93,000 moves a second; a third is the target.
Certification is what the stock of deals needs: drawing seeds until one is solved within the node budget, and shortening
its line. Times are of this process's CPU, so that other load matters little; compiling is done before and reported
separately.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from hashlib import sha256

from benchmarks.references import Chess, amount, announce, row
from games.rules import CATALOGUE, open_table
from games.solver import Budget, GaveUp, Solution, load, shorten, solve

NODES = 300_000
PLAIN_NODES = 60_000
COMPILED_AIM = 1.0
PLAIN_AIM = 6.0
STONEWALL_DEALS = 300
STONEWALL_SHARE = 1 / 3
STONEWALL_AIM = 36.5 * STONEWALL_SHARE * 0.093
STONEWALL_WORST_AIM = 0.2
MEMORY_AIM_MB = 1000


def seed_of(number: int) -> bytes:
    return sha256(b"talon solver benchmark %d" % number).digest()


def certify(variant: str, deals: int, nodes: int) -> float:
    """Return the CPU seconds per certified deal, over this many deals."""
    begun = time.process_time()
    number = found = 0
    while found < deals:
        table = open_table(variant, seed_of(number))
        result = solve(table, Budget(nodes=nodes))
        if isinstance(result, Solution):
            shorten(table, result.tokens)
            found += 1
        number += 1
    return (time.process_time() - begun) / deals


def certify_all(deals: int, nodes: int) -> dict[str, float]:
    return {variant: certify(variant, deals, nodes) for variant in CATALOGUE}


def compile_all(variants: Iterable[str]) -> float:
    """Return the CPU seconds to load or compile every search of these variants."""
    begun = time.process_time()
    for variant in variants:
        load(open_table(variant, bytes(32)))
    return time.process_time() - begun


def stonewall(seed: str) -> tuple[int, list[float]]:
    """Return the number of undecided deals, and the CPU seconds of each deal."""
    undecided = 0
    times = []
    for number in range(STONEWALL_DEALS):
        table = open_table("stonewall", sha256(f"{seed} {number}".encode()).digest())
        begun = time.process_time()
        undecided += isinstance(solve(table, Budget(nodes=50_000_000)), GaveUp)
        times.append(time.process_time() - begun)
    return undecided, times


def plain_times(deals: int) -> dict[str, float]:
    """Return the same figures from a process without Numba."""
    command = [sys.executable, "-m", "benchmarks.solver", "--plain", "--deals", str(deals)]
    done = subprocess.run(
        command, env={**os.environ, "TALON_NO_NUMBA": "1"}, check=True, stdout=subprocess.PIPE, text=True
    )
    times: dict[str, float] = json.loads(done.stdout)
    return times


def as_table(compiled: Mapping[str, float], plain: Mapping[str, float]) -> str:
    """Return the CPU seconds per certified deal as Markdown, for docs/winnability.md."""
    lines = ["| variant | compiled | plain Python |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {compiled[name]:.2f} | {plain[name]:.1f} |" for name in compiled]
    return "\n".join([*lines, f"| all nine | {sum(compiled.values()):.1f} | {sum(plain.values()):.0f} |"])


def certified(deals: int, board: Chess, *, markdown: bool) -> list[bool]:
    """Measure certification, print the figures, and return which targets are met."""
    before = board.million()
    compiled = certify_all(deals, NODES)
    plain = plain_times(max(1, deals // 5))
    if markdown:
        print(as_table(compiled, plain))
    else:
        print("CPU seconds per certified deal:      compiled      plain")
        for variant in CATALOGUE:
            print(f"  {variant:<28} {compiled[variant]:>12.3f} {plain[variant]:>10.2f}")
    million = statistics.median([before, board.million()])
    return [
        row("nine certified deals, compiled", sum(compiled.values()), million, "s", at_most=COMPILED_AIM),
        row("nine certified deals, plain Python", sum(plain.values()), million, "s", at_most=PLAIN_AIM),
    ]


def decided(seed: str, board: Chess) -> list[bool]:
    """Measure Stonewall's deals, print the figures, and return which targets are met."""
    before = board.million(rounds=3)
    undecided, times = stonewall(seed)
    million = statistics.median([before, board.million(rounds=3)])
    print(f"Stonewall's deals: --seed {seed}")
    return [
        row(f"{STONEWALL_DEALS} deals of Stonewall", sum(times), million, "s", at_most=STONEWALL_AIM),
        row("the slowest of them", max(times), million, "s", at_most=STONEWALL_WORST_AIM),
        amount("of which undecided", undecided, "undecided", at_most=0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=20, help="deals to certify per variant (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="for Stonewall's deals (default: a new one)")
    parser.add_argument("--stonewall", action="store_true", help="only Stonewall's deals")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/winnability.md")
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        print(json.dumps(certify_all(options.deals, PLAIN_NODES)))
        return 0
    announce()
    board = Chess()
    print(f"compiling or loading the searches: {compile_all(['stonewall'] if options.stonewall else CATALOGUE):.1f} s")
    reached = [] if options.stonewall else certified(options.deals, board, markdown=options.markdown)
    reached += decided(options.seed, board)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reached.append(amount("memory at most", peak, "MB", at_most=MEMORY_AIM_MB))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
