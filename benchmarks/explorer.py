"""A position in the explorer with a million finished games in the database, beside a bare view of the API.

`DATABASE_URL=postgres://… python -m benchmarks.explorer [--games N]`; the exit code is 1 if a target is missed. It uses
its own database on that server, and drops it at the end. A hundred simulated games are played at one deal, and copied
with their deal, records and packed positions until there are enough. Times are medians of many requests through the
site's own middleware, made in turns with the list of variants, which reads no database.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, cast

from benchmarks.databases import own_site, server_url
from benchmarks.references import amount, announce, in_turns, row
from benchmarks.rows import finished, make_deal

if TYPE_CHECKING:
    from games.models import Deal
    from games.rules import Table

GAMES = 1_000_000
#: Simulated games at a deal.
PLAYED = 100
VARIANT = "plot"
CALLS = 300
RATIO_AIM = 7.0
#: Size of a deal's explorer, compared with the size of its records.
SHARE_AIM = 20.0
BARE = "bare view"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    announce(os.environ, "certified deals", "Redis", "the search for losing moves")
    with own_site(url):
        return measure(options.games, options.calls)


def measure(games: int, calls: int) -> int:
    """Fill, measure, print, and return the exit code."""
    from games.explorer.models import ExplorerChunk
    from games.models import Attempt

    begun = time.perf_counter()
    deal = play()
    copy(deal, games // PLAYED - 1)
    print(f"{Attempt.objects.count():,} finished games in PostgreSQL after {time.perf_counter() - begun:.0f} s")
    medians = in_turns(requests(games // PLAYED), calls, warm_up=20)
    bare = medians.pop(BARE) * 1000
    reached = [row(kind, median * 1000, bare, "ms", at_most=RATIO_AIM) for kind, median in medians.items()]
    packed = sum(len(chunk.positions) for chunk in ExplorerChunk.objects.filter(explorer=deal.pk))
    records = sum(len(attempt.record or b"") for attempt in Attempt.objects.filter(deal=deal))
    reached.append(amount("packed positions of a deal's records", 100 * packed / records, "%", at_most=SHARE_AIM))
    return int(not all(reached))


def play() -> Deal:
    """Play simulated games at a race's deal, and build its explorer without the search."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.utils import timezone

    from games.attempts.lifecycle import deal_table
    from games.explorer import building, explorer_build
    from games.explorer.models import Explorer
    from games.solver.simulated_players import SKILLS, skilled_game

    call_command("migrate", verbosity=0)
    seed, line = winnable()
    now = timezone.now()
    deal = make_deal(VARIANT, None, seed=seed, for_race=True, revealed_at=now)
    dice, player = random.Random(7), get_user_model().objects.create_user("player")
    for number in range(PLAYED):
        table = deal_table(deal)
        start(table, line, dice)
        skilled_game(table, list(SKILLS.values())[number % len(SKILLS)], dice)
        moves = list(table.moves)
        clock = [1000 * n for n in range(1, len(moves) + 1)]
        facts = {"tokens": len(moves), "cards_up": 9, "elapsed_ms": clock[-1], "deadline": now}
        end: Literal["won", "resigned"] = "won" if table.is_won else "resigned"
        finished(deal, moves, clock, end, player=player, ranked=False, state="verified", started_at=now, **facts)
    cast("Any", building).run, cast("Any", building).SECONDS = explorer_build.build, 0.0
    Explorer.objects.create(deal=deal)
    assert building.build_explorer(deal.pk)
    return deal


def winnable() -> tuple[bytes, tuple[str, ...]]:
    """Return the seed of a deal and a line that wins it."""
    from games.rules import open_table
    from games.solver import Budget, Solution, solve

    seeds = (bytes([number]) * 32 for number in itertools.count(1))
    for seed in seeds:
        found = solve(open_table(VARIANT, seed), Budget(nodes=100_000))
        if isinstance(found, Solution):
            return seed, tuple(found.tokens)
    raise AssertionError


def start(table: Table, line: tuple[str, ...], dice: random.Random) -> None:
    """Play a random number of moves of a winning line, so that games have positions in common."""
    for token in line[: dice.randrange(len(line))]:
        table.push(token)


def copy(deal: Deal, times: int) -> None:
    """Copy the deal with everything that belongs to it; takes a minute or two for a million games."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # skip foreign key checks, as the rows are consistent
        for statement in COPY:
            cursor.execute(statement, {"deal": deal.pk, "times": times, "played": PLAYED})
        cursor.execute("SET session_replication_role = origin")
        for table in ("games_deal", "games_attempt", "explorer_explorer", "explorer_explorerchunk"):
            cursor.execute(f"VACUUM ANALYZE {table}")


def requests(deals: int) -> dict[str, Callable[[], object]]:
    """Return the requests to measure, each for another deal and position."""
    from django.test import Client

    from games.core import limits

    limits.RATES["api"] = f"{GAMES}/m"
    client, places = Client(SERVER_NAME="localhost"), chosen(deals)

    def get(path: str) -> object:
        response = client.get(path)
        assert response.status_code == 200, response.content
        return response

    def position(share: float) -> object:
        deal, game, tokens = next(places)
        return get(f"/api/v1/deals/{deal}/explorer?game={game}&n={int(tokens * share)}")

    return {
        BARE: lambda: get("/api/v1/variants"),
        "the opening": lambda: position(0.0),
        "the middle of a game": lambda: position(0.5),
        "the end of a game": lambda: position(1.0),
    }


def chosen(deals: int) -> Iterator[tuple[int, str, int]]:
    """Yield random games with their deals and numbers of tokens."""
    from games.models import Attempt

    dice = random.Random(5)
    while True:
        attempt = Attempt.objects.only("deal_id", "public_id", "tokens").get(pk=dice.randrange(deals * PLAYED) + 1)
        yield attempt.deal_id, str(attempt.public_id), attempt.tokens or 0


COPY = (
    """INSERT INTO games_deal (id, variant, game, options, rules_version, seed, commitment, opens_at, created_at,
         proven, starter, for_race, revealed_at)
       SELECT id + n, variant, game, options, rules_version, seed, 'copy ' || n, opens_at, created_at,
         proven, starter, for_race, revealed_at
       FROM games_deal, generate_series(1, %(times)s) n WHERE id = %(deal)s""",
    """INSERT INTO games_attempt (id, public_id, deal_id, player_id, ranked, state, started_at, deadline, finished_at,
         "end", record, cards_up, elapsed_ms, tokens, reasons, verify_tries, auto_runs)
       SELECT id + n * %(played)s, gen_random_uuid(), deal_id + n, player_id, ranked, state, started_at, deadline,
         finished_at, "end", record, cards_up, elapsed_ms, tokens, reasons, verify_tries, auto_runs
       FROM games_attempt, generate_series(1, %(times)s) n WHERE deal_id = %(deal)s""",
    """INSERT INTO explorer_explorer (deal_id, changes, built, built_at, games, wins, chunks, summary)
       SELECT deal_id + n, changes, built, built_at, games, wins, chunks, summary
       FROM explorer_explorer, generate_series(1, %(times)s) n WHERE deal_id = %(deal)s""",
    """INSERT INTO explorer_explorerchunk (explorer_id, number, positions)
       SELECT explorer_id + n, number, positions
       FROM explorer_explorerchunk, generate_series(1, %(times)s) n WHERE explorer_id = %(deal)s""",
)

if __name__ == "__main__":
    sys.exit(main())
