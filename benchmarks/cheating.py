"""Price list of cheating: the accounts, days, games and seconds that a cheat needs for each place.

`python -m benchmarks.cheating [--seed TEXT] [variant …]`; the exit code is 1 if a target is missed. Each way of
cheating is tried in this process, on fresh deals and shifted dates, in a temporary SQLite database with ladders on. The
benchmark searches for the price: it tries cheap ways first, until one works or it reaches `--days`, `--accounts` and
`--matches`. The cheat plays the solver's lines as fast as the pace checks allow.

- rank 1 among newcomers: a guest plays a solver's line and signs up;
- rank 1 among the established: an account prepares on earlier days with games it resigns at sight and games it wins,
  and then plays a solver's line;
- top 10 of the rating: the cheat's other accounts lose quick matches to one of them on purpose;
- a rated race: draw the stock, undo, solve the deal and play the solution;
- a heat: the cheat's other guests, new accounts, or accounts with a daily game, resign;
- the cheat suite: `tests/games/fairplay/test_cheats.py`, unless `--no-suite`.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.references import announce, verdict

if TYPE_CHECKING:
    from benchmarks.cheating_parts import Price

#: Variants that the solver wins within a second or so.
VARIANTS = ("labyrinth", "pigtail")
DAYS = 12
ACCOUNTS = 13
MATCHES = 20
#: Rank 1 among the established costs at least this many days, the last one included, and this many played games.
DAYS_AIM = 8
GAMES_AIM = 3
#: Points of rating, and of a heat beyond a solo run, that a person can take from their own accounts.
RATING_AIM = 100
HEAT_AIM = 0
SUITE = "tests/games/fairplay/test_cheats.py"
COLUMNS = f"{'':<44}{'accounts':>9}{'days':>6}{'played':>8}{'seconds':>9}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="variant", help=f"by default {' '.join(VARIANTS)}")
    parser.add_argument("--seed", default=secrets.token_hex(8), help="of the deals and the random choices")
    parser.add_argument("--days", type=int, default=DAYS, help="greatest age of an account in days")
    parser.add_argument("--accounts", type=int, default=ACCOUNTS, help="greatest number of a person's accounts")
    parser.add_argument("--matches", type=int, default=MATCHES, help="quick matches for a rating")
    parser.add_argument("--no-suite", action="store_true", help="leave out the cheat suite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as var:
        os.environ.update(VAR_DIR=var, DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="ERROR")
        os.environ.update(LADDERS="1", SEALED_STOCK="0", DEAL_PATIENCE="0", ADMISSION="0")
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        announce(os.environ, "workers and beat")
        import django
        from django.core.management import call_command
        from django.test.utils import setup_test_environment

        django.setup()
        setup_test_environment()
        call_command("migrate", verbosity=0)
        print(f"seed {options.seed}\n{COLUMNS}")
        met = True
        for price in prices(options):
            print(price, "" if price.met is None else verdict(met=price.met), flush=True)
            met &= price.met is not False
    if not options.no_suite:
        met &= cheat_suite()
    return 0 if met else 1


def prices(options: argparse.Namespace) -> Iterator[Price]:
    """Yield the price of each place, and whether it meets its target."""
    from benchmarks import cheating_parts as parts

    chance = Random(options.seed)
    for variant in options.variants or VARIANTS:
        with parts.Days.of(variant, chance) as days:
            yield days.newcomer()
            price = days.established(options.days)
            price.met = price.is_beyond or (price.days >= DAYS_AIM and price.played >= GAMES_AIM)
            yield price
    for price in parts.rating(options.accounts, options.matches, chance):
        price.met = price.points <= RATING_AIM
        yield price
    yield parts.rated_race(chance)
    for price in parts.heat():
        price.met = price.points <= HEAT_AIM if price.is_free else None
        yield price


def cheat_suite() -> bool:
    """Run the cheat suite, print its last line, and return whether every cheat was caught."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(f"cheat suite: {(done.stdout.strip().splitlines() or ['no output'])[-1]}  {verdict(met=not done.returncode)}")
    return not done.returncode


if __name__ == "__main__":
    sys.exit(main())
