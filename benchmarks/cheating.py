"""Price list of cheating: the accounts, days, games and seconds that a cheat needs for each place.

`DATABASE_URL=postgres://… python -m benchmarks.cheating [--seed TEXT] [variant …]`; the exit code is 1 if a target is
missed. It uses its own database on that server, its own Redis, and the whole production form on them
(`deploy/Procfile`), with ladders on, and takes some 35 minutes. Every account signs up over HTTP, and every game and
race is played over WebSockets in real time. As the clock cannot be moved, the benchmark moves players, games and races
into the past instead. It also writes confirmed addresses, the honest rivals and the start of each heat to the database.

It searches for the price: it tries cheap ways first or halves the range, until one works or it reaches `--days`,
`--accounts` and `--matches`. The cheat plays the solver's lines as fast as the pace checks allow.

- rank 1 among newcomers: a guest plays a solver's line and signs up;
- rank 1 among the established: an account prepares on earlier days with games it resigns at sight and games it wins,
  and then plays a solver's line;
- top 10 of the rating: the cheat's other accounts lose quick matches to one of them on purpose;
- a rated race: draw from the stock and undo it;
- a heat: the cheat's other guests, new accounts, or accounts with a daily game, resign, or guests delete themselves;
- the cheat suite: the tests of all rules against cheating, unless `--no-suite`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.databases import server_url
from benchmarks.processes import Shape, own_servers
from benchmarks.references import announce, verdict

if TYPE_CHECKING:
    from benchmarks.cheating_parts import Price

#: Others that the solver wins within a second or so, such as Pigtail, take several times as long to play.
VARIANTS = ("labyrinth",)
DAYS = 12
ACCOUNTS = 13
MATCHES = 20
#: Rank 1 among the established costs at least this many days, the last one included, and this many played games.
DAYS_AIM = 8
GAMES_AIM = 3
#: Points of rating, and of a heat beyond a solo run, that a person can take from their own accounts.
RATING_AIM = 100
HEAT_AIM = 0
#: Cheats against the service, and the tests of the rules against each way of cheating.
SUITE = (
    "tests/games/fairplay",
    "tests/games/races/quick_match",
    "tests/games/races/results/test_entrant_facts.py",
    "tests/games/races/test_lobby_limits.py",
    "tests/games/races/test_undo_rule.py",
    "tests/leaderboards/boards/test_ladders.py",
    "tests/leaderboards/ratings",
    "tests/leaderboards/verdicts/test_races_in_review.py",
)
HOW = """every row: sign-ups, games and races on the running site, over HTTP and WebSockets
written to the database: shifted dates, confirmed addresses, honest rivals, starts of heats"""
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
    url = server_url()
    if not url:
        return 0
    if shutil.which("redis-server") is None:
        print("skipped: no redis-server is installed")
        return 0
    met = options.no_suite or cheat_suite()
    with site(url) as shape:
        print(f"{HOW}\nseed {options.seed}\n{COLUMNS}", flush=True)
        met &= asyncio.run(report(options, shape))
    return 0 if met else 1


@contextmanager
def site(url: str) -> Iterator[Shape]:
    """Run the site, and set up Django in this process for the same database."""
    with own_servers(url) as environment:
        environment |= {"LADDERS": "1", "DEAL_PATIENCE": "0", "ADMISSION": "0"}
        environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "COLLECTED_STATIC": "0"}
        announce(environment)
        # Short queries of a single task at a time need no threads.
        os.environ.update(environment, DJANGO_ALLOW_ASYNC_UNSAFE="1")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        shape = Shape(environment, Path(environment["VAR_DIR"]))
        try:
            shape.start()
            yield shape
        except BaseException:
            print(shape.said(), end="", file=sys.stderr)
            raise
        finally:
            shape.stop()


async def report(options: argparse.Namespace, shape: Shape) -> bool:
    """Print the prices, and return whether all targets are met."""
    from benchmarks.cheating_client import Member

    Member.ports = shape.ports[0], shape.tables[0]
    met = True
    async for price in prices(options):
        print(price, "" if price.met is None else verdict(met=price.met), flush=True)
        met &= price.met is not False
    return met


async def prices(options: argparse.Namespace) -> AsyncIterator[Price]:
    """Yield the price of each place, and whether it meets its target."""
    from benchmarks import cheating_parts as parts

    chance = Random(options.seed)
    for variant in options.variants or VARIANTS:
        days = parts.Days(variant, chance)
        yield await days.newcomer()
        price = await days.established(options.days)
        price.met = price.is_beyond or (price.days >= DAYS_AIM and price.played >= GAMES_AIM)
        yield price
    for price in await parts.rating(options.accounts, options.matches, chance):
        price.met = price.points <= RATING_AIM
        yield price
    yield await parts.rated_race()
    async for price in parts.heat(chance):
        price.met = price.points <= HEAT_AIM if price.is_free else None
        yield price


def cheat_suite() -> bool:
    """Run the cheat suite, print its last line, and return whether every cheat was caught."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITE],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(f"cheat suite: {(done.stdout.strip().splitlines() or ['no output'])[-1]}  {verdict(met=not done.returncode)}")
    return not done.returncode


if __name__ == "__main__":
    sys.exit(main())
