"""Rating gained by one person's accounts losing to one of them, and what the rules against it cost honest players.

`python -m benchmarks.feeding [--races N] [--seed N]`; the exit code is 1 if accounts that are not established gain more
than the limit. It needs no database.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from unittest import mock

from benchmarks.references import announce
from leaderboards.ratings import fold
from tests.leaderboards.ratings import feeding

ACCOUNTS = (13, 100)
SEEDS = (1, 2, 3)
#: Shares of honest players with an established account.
SHARES = (1.0, 0.6, 0.3)
SETTLED = 300


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    announce()
    print("| schedule | accounts | without the limit | gain | if all were established |")
    print("| --- | ---: | ---: | ---: | ---: |")
    worst = 0.0
    for schedule in feeding.SCHEDULES:
        for accounts in ACCOUNTS:
            args = (schedule, accounts, options.races, options.seed)
            gained, established = feeding.gain(*args), feeding.gain(*args, established=True)
            with mock.patch.object(fold, "NEWCOMERS", math.inf):
                free = feeding.gain(*args)
            worst = max(worst, gained)
            name = schedule.__name__.replace("_", " ")
            print(f"| {name} | {accounts} | {free:.0f} | {gained:.0f} | {established:.0f} |", flush=True)
    print(f"\n| established | all races | after {SETTLED} |\n| --- | --- | --- |")
    for share in SHARES:
        print(f"| {share:.0%} | {losses(share, 0)} | {losses(share, SETTLED)} |", flush=True)
    with mock.patch.object(fold, "NEWCOMERS", math.inf):
        print(f"| without the limit | {losses(1, 0)} | {losses(1, SETTLED)} |")
    return int(worst > fold.NEWCOMERS + 1e-6)


def losses(established: float, after: int, seeds: Sequence[int] = SEEDS) -> str:
    """Return the mean log loss for each seed."""
    return ", ".join(f"{feeding.log_loss(seed, established=established, after=after):.4f}" for seed in seeds)


if __name__ == "__main__":
    sys.exit(main())
