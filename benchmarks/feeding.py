"""Rating gained by one person's accounts losing to one of them, and what the rules against it cost honest players.

`python -m benchmarks.feeding [--races N] [--seed N]`; the exit code is 1 if accounts that hardly race anyone else gain
more than the limit. It needs no database.
"""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import AbstractContextManager, nullcontext
from statistics import fmean
from unittest import mock

from benchmarks.references import announce
from leaderboards.ratings import rating_rules
from tests.leaderboards.ratings import feeding

ACCOUNTS = (13, 100)
SEEDS = (1, 2)
#: Duels with regulars that each account really plays before it feeds.
KNOWN = (0, 1, 5, 9, 11, 20)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    announce()
    worst = 0.0
    print("| schedule | accounts | on a young site | established | not established |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for schedule in (*feeding.SCHEDULES, *feeding.SECOND):
        for accounts in ACCOUNTS:
            args = (schedule, accounts, options.races, options.seed)
            free = feeding.gain(*args, established=True, young=True)
            gained, others = feeding.gain(*args, established=True), feeding.gain(*args)
            worst = max(worst, gained, others)
            name = schedule.__name__.replace("_", " ")
            print(f"| {name} | {accounts} | {free:.0f} | {gained:.0f} | {others:.0f} |", flush=True)
    print("\n| duels with regulars of each account |", " | ".join(map(str, KNOWN)), "|")
    print("| --- |", " | ".join(["---:"] * len(KNOWN)), "|")
    for accounts in ACCOUNTS:
        gains = [known(accounts, duels, options) for duels in KNOWN]
        print(f"| {accounts} accounts |", " | ".join(f"{gain:.0f}" for gain in gains), "|", flush=True)
    print("\n| honest players | rule | log loss | late | first 20 races | rank correlation |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for pool in feeding.POOLS:
        honest(pool)
    return int(worst > rating_rules.NEWCOMERS + 1e-6)


def known(accounts: int, duels: int, options: argparse.Namespace) -> float:
    """Return the gain of accounts that have first played that many duels with regulars."""
    races = options.races + duels * accounts
    return feeding.gain(feeding.known(duels), accounts, races, options.seed, established=True)


def honest(pool: feeding.Pool) -> None:
    """Print the accuracy of honest players' ratings by rule."""
    rules: dict[str, AbstractContextManager[object]] = {
        "no limit": mock.patch.object(rating_rules, "NEWCOMERS", math.inf),
        "any ten races": mock.patch.object(rating_rules, "REGULARS", sys.maxsize),
        "regulars": nullcontext(),
    }
    for rule, patch in rules.items():
        with patch:
            found = [fmean(column) for column in zip(*(feeding.accuracy(pool, seed) for seed in SEEDS), strict=True)]
        print(
            f"| {pool.__name__.replace('_', ' ')} | {rule} |",
            " | ".join(f"{value:.4f}" for value in found),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
