"""Simulation of whole races of four with many faults: `python -m tests.games.races.simulation --races 1000`.

`worlds.py` describes the faults. `--seed` repeats a run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--races", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as var:
        os.environ |= {"VAR_DIR": var, "SEALED_STOCK": "0", "DATABASE_URL": f"sqlite:///{var}/races.sqlite3"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        run_all(chosen.races, chosen.seed)


def run_all(races: int, seed: int) -> None:
    """Simulate this many races, one seed each, and print a summary."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)

    from leaderboards.ratings.proof import faults
    from tests.games.races.worlds import accounts, arrows, simulate, written_down

    ended: Counter[str] = Counter()
    deaths = 0
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous = OFF")
    pool = accounts()
    with written_down():
        for number in range(seed, seed + races):
            try:
                world = simulate(number, pool)
            except BaseException:
                print(f"--seed {number} --races 1", file=sys.stderr)
                raise
            ended[world.run.states()] += 1
            deaths += world.deaths
        assert not list(faults()), "the ratings differ from the fold"
        print(f"{races} races from seed {seed}: {deaths} deaths")
        for what, count in sorted(ended.items()):
            print(f"{count:6} {what}")
        for (_, before, after), count in sorted(arrows().items()):
            print(f"{count:6} {before} -> {after}")


if __name__ == "__main__":
    main()
