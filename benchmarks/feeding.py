"""Rating gained by one person's accounts losing to one of them, and what the rules against it cost honest players.

`python -m benchmarks.feeding [--races N] [--seed N]`; the exit code is 1 if accounts that are not regulars gain more
than the cap. It needs no database.
"""

from __future__ import annotations

import argparse
import math
import sys
from statistics import fmean
from unittest import mock

from benchmarks.references import announce
from leaderboards.ratings import rating_rules
from tests.leaderboards.ratings import feeding

ACCOUNTS = (13, 100)
SEEDS = (1, 2)
#: Shares of regulars among honest players.
SHARES = (0.3, 0.5, 0.7)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    announce()
    worst = 0.0
    print("| schedule | accounts | no regular | one regular | two regulars | all regulars |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for schedule in feeding.ALL:
        for accounts in ACCOUNTS:
            args = (schedule, accounts, options.races, options.seed)
            gains = [feeding.gain(*args, regulars=regulars) for regulars in (0, 1, 2, accounts)]
            worst = max(worst, gains[0])
            figures = " | ".join(f"{gain:.0f}" for gain in gains)
            print(f"| {schedule.__name__.replace('_', ' ')} | {accounts} | {figures} |", flush=True)
    print("\n| honest players | regulars | log loss | late | first 20 races | rank correlation |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for pool in feeding.POOLS:
        honest(pool)
    return int(worst > rating_rules.CAP + 1e-6)


def honest(pool: feeding.Pool) -> None:
    """Print the accuracy of honest players' ratings without a cap, and by the share of regulars."""
    with mock.patch.object(rating_rules, "CAP", math.inf):
        accuracy(pool, "no cap", 1)
    for share in SHARES:
        accuracy(pool, f"{100 * share:.0f} %", share)


def accuracy(pool: feeding.Pool, name: str, regulars: float) -> None:
    """Print the mean accuracy over the seeds."""
    runs = [feeding.accuracy(pool, seed, regulars=regulars) for seed in SEEDS]
    found = [fmean(column) for column in zip(*runs, strict=True)]
    figures = " | ".join(f"{value:.4f}" for value in found)
    print(f"| {pool.__name__.replace('_', ' ')} | {name} | {figures} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
