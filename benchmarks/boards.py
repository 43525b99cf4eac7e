"""Reading a deal's board with a million entries: SQL in milliseconds, the cache beside the bare Redis command.

`DATABASE_URL=postgres://… python -m benchmarks.boards [--entries N]`; exit code 1 when an aim is missed. It makes a
database of its own on that server and drops it at the end, and starts a Redis of its own. Each figure is the median of
many calls, the calls of all kinds taken in turns.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from games.models import Deal
    from leaderboards.ladders import Ladder, Position
    from leaderboards.players import Player

ENTRIES = 1_000_000
CALLS = 400
SQL_AIM_MS = 2.0
CACHE_AIM = 3.0
KINDS = ("page 1", "page in the middle", "around me", "my rank")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        print("skipped: DATABASE_URL names no PostgreSQL")
        return 0
    with own_database(url), tempfile.TemporaryDirectory() as var:
        os.environ["VAR_DIR"] = var
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        os.environ["LOG_LEVEL"] = "WARNING"
        os.environ.pop("REDIS_URL", None)
        import django

        django.setup()
        try:
            return measure(options.entries, options.calls)
        finally:
            from django.db import connection

            connection.close()
            connection.close_pool()


@contextmanager
def own_database(url: str) -> Iterator[None]:
    """A database for this run alone, named by DATABASE_URL meanwhile."""
    import psycopg

    name = f"talon_bench_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        os.environ["DATABASE_URL"] = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        try:
            yield
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def measure(entries: int, calls: int) -> int:
    """Fill, measure, print; the exit code."""
    from tests.services.servers import Redis

    started = time.perf_counter()
    deal = fill(entries)
    print(f"{entries:,} entries in PostgreSQL after {time.perf_counter() - started:.0f} s")
    server = Redis() if Redis.is_installed() else None
    if server is None:
        print("no redis-server is installed: SQL alone is measured")
        return report(take(sql_calls(deal, entries), calls))
    server.start()
    try:
        started = time.perf_counter()
        cached, bare = redis_calls(deal, entries, server.url)
        print(f"copied to Redis in {time.perf_counter() - started:.0f} s")
        return report(take({**sql_calls(deal, entries), **cached, **bare}, calls))
    finally:
        server.stop()


def take(kinds: dict[tuple[str, str], Callable[[], object]], calls: int) -> dict[tuple[str, str], float]:
    """The median of each kind of call in ms."""
    times: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
    for turn in range(calls + 20):
        for kind, call in kinds.items():
            started = time.perf_counter()
            call()
            if turn >= 20:
                times[kind].append((time.perf_counter() - started) * 1000)
    return {kind: statistics.median(found) for kind, found in times.items()}


def report(medians: dict[tuple[str, str], float]) -> int:
    """Print the medians and the ratios; 1 when an aim is missed."""
    missed = False
    print(f"{'median ms':<20}{'SQL':>9}{'cache':>9}{'bare Redis':>12}{'cache/bare':>12}")
    for kind in KINDS:
        sql = medians[kind, "sql"]
        line = f"{kind:<20}{sql:>9.3f}"
        missed |= sql >= SQL_AIM_MS
        if (kind, "cache") in medians:
            cache, bare = medians[kind, "cache"], medians[kind, "bare"]
            missed |= cache > CACHE_AIM * bare
            line += f"{cache:>9.3f}{bare:>12.3f}{cache / bare:>12.2f}"
        print(line)
    met = "MISSED" if missed else "ok"
    print(f"aims: SQL under {SQL_AIM_MS} ms, cache at most {CACHE_AIM} times the bare command: {met}")
    return int(missed)


def sql_calls(deal: Deal, entries: int) -> dict[tuple[str, str], Callable[[], object]]:
    """What SQL is asked; each call for somebody else."""
    from leaderboards import boards, reading
    from leaderboards.ladders import deal_ladder
    from leaderboards.pages import Cursor

    ladder = deal_ladder(deal.pk, "race")
    middle = Cursor(position_at(ladder, entries // 2), backwards=False)
    players = Players(entries)
    return {
        ("page 1", "sql"): lambda: boards.sql_page(ladder, None, 50),
        ("page in the middle", "sql"): lambda: boards.sql_page(ladder, middle, 50),
        ("around me", "sql"): lambda: reading.entries_around(ladder, players.any().pk, 5),
        ("my rank", "sql"): lambda: boards.sql_rank(ladder, players.any()),
    }


def redis_calls(deal: Deal, entries: int, url: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """What the cache is asked, and the bare commands that answer the same from a sorted set."""
    import redis

    from leaderboards.cache import BoardCache
    from leaderboards.ladders import deal_ladder

    client = redis.Redis.from_url(url)
    copy = BoardCache(client)
    assert copy.fill(deal.pk)
    board = b"talon:board:%d:race" % deal.pk
    position = position_at(deal_ladder(deal.pk, "race"), entries // 2)
    players, members = Players(entries), [member for member, _ in client.zscan_iter(board, count=1000)][:5_000]
    choose = random.Random(7)

    def around() -> object:
        index = client.zrank(board, choose.choice(members)) or 0
        return client.zrange(board, max(0, index - 5), index + 5, withscores=True)

    cached = {
        ("page 1", "cache"): lambda: copy.page(deal.pk, "race", 0, 50),
        ("page in the middle", "cache"): lambda: copy.beside(deal.pk, "race", position, 50, backwards=False),
        ("around me", "cache"): lambda: copy.around(deal.pk, "race", players.any().pk, 5),
        ("my rank", "cache"): lambda: copy.rank(deal.pk, "race", players.any().pk),
    }
    bare = {
        ("page 1", "bare"): lambda: client.zrange(board, 0, 49, withscores=True),
        ("page in the middle", "bare"): lambda: client.zrange(board, entries // 2, entries // 2 + 49, withscores=True),
        ("around me", "bare"): around,
        ("my rank", "bare"): lambda: client.zrank(board, choose.choice(members)),
    }
    return cached, bare


class Players:
    """Players of the board, chosen at random."""

    def __init__(self, entries: int) -> None:
        self._entries, self._choose = entries, random.Random(5)

    def any(self) -> Player:
        """One of them, as the board functions take a player."""
        from django.contrib.auth import get_user_model

        return get_user_model()(pk=self._choose.randint(1, self._entries))


def position_at(ladder: Ladder, index: int) -> Position:
    """Where the entry with an index stands."""
    return ladder.listed().order_by(*ladder.columns).values_list(*ladder.columns)[index]


def fill(entries: int) -> Deal:
    """A deal with so many listed results of as many players: a third won; takes a minute or more."""
    from django.core.management import call_command
    from django.db import connection

    from leaderboards.keys import DEAL
    from tests.leaderboards import factory

    call_command("migrate", verbosity=0)
    deal: Deal = factory.deal()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the rows refer to each other as they should
        cursor.execute("SELECT setseed(0.5)")
        for statement in FILL:
            cursor.execute(statement, {"entries": entries, "deal": deal.pk})
        for layout in DEAL.values():
            for level, shift in enumerate(layout.shifts):
                cursor.execute(
                    "INSERT INTO leaderboards_dealbucket (deal_id, board, level, prefix, entries) "
                    f"SELECT deal_id, %s, %s, {layout.key} >> %s, count(*) FROM leaderboards_result GROUP BY 1, 4",
                    [layout.code, level, shift],
                )
        cursor.execute("INSERT INTO leaderboards_dealboard (deal_id, version) VALUES (%s, %s)", [deal.pk, entries])
        cursor.execute("SET session_replication_role = origin")
        for table in ("accounts_user", "games_attempt", "leaderboards_result", "leaderboards_dealbucket"):
            cursor.execute(f"VACUUM ANALYZE {table}")
    return deal


FILL = (
    """INSERT INTO accounts_user (id, password, is_superuser, username, display_name, email, is_staff, is_active,
         date_joined, public_id, is_guest, preferences, session_epoch)
       SELECT n, '!', false, 'player ' || n, 'player ' || n, '', false, true,
         now(), gen_random_uuid(), false, '{}', 0
       FROM generate_series(1, %(entries)s) n""",
    """INSERT INTO games_attempt (id, public_id, deal_id, player_id, ranked, state, started_at, finished_at, "end",
         record, reasons, verify_tries, auto_runs, cards_up, elapsed_ms, tokens)
       SELECT n, gen_random_uuid(), %(deal)s, n, true, 'verified', now(), now() + n * interval '1 ms', 'resigned',
         '\\x2d', '[]', 0, '[]',
         CASE WHEN random() < 0.33 THEN 52 ELSE floor(random() * 52) END,
         60000 + 420000 * (-ln(1 - random() * 0.99)),
         80 + floor(160 * random() * random())
       FROM generate_series(1, %(entries)s) n""",
    """INSERT INTO leaderboards_result (attempt_id, deal_id, player_id, cards_up, elapsed_ms, tokens, finished_at,
         listed, race_key, fewest_key)
       SELECT id, deal_id, player_id, cards_up, elapsed_ms, tokens, finished_at, true,
         ((127 - cards_up)::bigint << 45) | (elapsed_ms << 13) | tokens,
         ((127 - cards_up)::bigint << 45) | (tokens::bigint << 32) | elapsed_ms
       FROM games_attempt""",
)

if __name__ == "__main__":
    sys.exit(main())
