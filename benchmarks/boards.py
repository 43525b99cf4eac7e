"""Reads of a deal's board with a million entries, and the cost of a thousand watchers.

`DATABASE_URL=postgres://… python -m benchmarks.boards [--entries N]`; the exit code is 1 if a target is missed. It uses
its own database on that server, and drops it at the end. Times are medians of many calls, made in turns with a bare
indexed SELECT of one row over the same connection, and compared with it. The board changes a hundred times a second for
its watchers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.databases import own_site, server_url
from benchmarks.references import amount, announce, in_turns, row
from benchmarks.rows import make_deal

if TYPE_CHECKING:
    from games.core.ladders import Ladder
    from games.db.players import Player
    from games.models import Deal
    from leaderboards.boards.listings import Listing, Position
    from leaderboards.boards.rank_keys import BoardName

ENTRIES = 1_000_000
CALLS = 400
SQL_AIM = 15.0
BARE = "bare indexed SELECT"
WATCHERS = 1_000
WATCHED_SECONDS = 5
#: One reading per second is permitted, however often the board changes.
READINGS_AIM = WATCHED_SECONDS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    announce(os.environ, "certified deals", "Redis")
    with own_site(url):
        return measure(options.entries, options.calls)


def measure(entries: int, calls: int) -> int:
    """Fill, measure, print, and return the exit code."""
    started = time.perf_counter()
    deal = fill(entries)
    print(f"{entries:,} entries in PostgreSQL after {time.perf_counter() - started:.0f} s")
    reached = report(in_turns(sql_calls(deal, entries), calls, warm_up=20))
    readings, frames = asyncio.run(watch(deal))
    print(f"{frames:,} of {WATCHERS:,} watchers have seen the first frame")
    reached &= amount(f"readings in {WATCHED_SECONDS} s", readings, "readings", at_most=READINGS_AIM)
    return int(not reached)


def report(medians: dict[str, float]) -> bool:
    """Print each median beside the bare SELECT's; return whether all targets are met."""
    bare = medians.pop(BARE) * 1000
    reached = [row(kind, median * 1000, bare, "ms", at_most=SQL_AIM) for kind, median in medians.items()]
    return all(reached)


async def watch(deal: Deal) -> tuple[int, int]:
    """Return the number of readings while many watch a constantly changing board, and of watchers that got frames."""
    from leaderboards.boards import live_boards

    readings, shown = 0, asyncio.Event()
    read = live_boards.read_frame

    def counted(deal: Deal, board: BoardName, ladder: Ladder | None = None) -> str:
        nonlocal readings
        readings += 1
        return read(deal, board, ladder)

    class Watcher:
        seen = False

        def show(self, _frame: str) -> None:
            self.seen = True
            shown.set()

    live_boards.read_frame = counted
    hub, watchers, key = (
        live_boards.BoardHub(),
        [Watcher() for _ in range(WATCHERS)],
        live_boards.WatchedBoard(deal, "race"),
    )
    for watcher in watchers:
        await hub.join(key, watcher)
    await shown.wait()
    readings, started = 0, time.perf_counter()
    while time.perf_counter() - started < WATCHED_SECONDS:
        await tell(deal)
        await asyncio.sleep(0.01)
    counted_readings = readings
    for watcher in watchers:
        hub.leave(key, watcher)
    return counted_readings, sum(watcher.seen for watcher in watchers)


async def tell(deal: Deal) -> None:
    """Announce that a deal's boards have changed."""
    from channels.layers import get_channel_layer

    from leaderboards.boards.entries import board_group

    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(board_group(deal.pk), {"type": "board.changed", "deal": deal.pk})


def sql_calls(deal: Deal, entries: int) -> dict[str, Callable[[], object]]:
    """Return the SQL reads to measure; each call is for another player."""
    from leaderboards.boards import deal_boards
    from leaderboards.boards.listings import deal_listing
    from leaderboards.boards.rows import Cursor

    listing = deal_listing(deal.pk, "race")
    middle = Cursor(position_at(listing, entries // 2), backwards=False)
    players = Players(entries)
    return {
        BARE: lambda: bare_select(players.any()),
        "page 1": lambda: deal_boards.sql_page(listing, None, 50),
        "page in the middle": lambda: deal_boards.sql_page(listing, middle, 50),
        "around me": lambda: deal_boards.around(deal, "race", players.any(), 5),
        "my rank": lambda: deal_boards.rank_of(deal, "race", players.any()),
    }


def bare_select(player: Player) -> object:
    """Select one entry by its primary key, over the same driver."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM leaderboards_result WHERE attempt_id = %s", [player.pk])
        return cursor.fetchone()


class Players:
    """Random players of the board."""

    def __init__(self, entries: int) -> None:
        self._entries, self._choose = entries, random.Random(5)

    def any(self) -> Player:
        """Return a random player, as the board functions expect one."""
        from django.contrib.auth import get_user_model

        return get_user_model()(pk=self._choose.randint(1, self._entries))


def position_at(listing: Listing, index: int) -> Position:
    """Return the position of the entry with this index."""
    position: Position = listing.listed().order_by(*listing.columns).values_list(*listing.columns)[index]
    return position


def fill(entries: int) -> Deal:
    """Create a deal with many listed results, each of another player, a third of them won; takes a minute or more."""
    from django.core.management import call_command
    from django.db import connection

    from leaderboards.boards.rank_keys import DEAL

    call_command("migrate", verbosity=0)
    deal: Deal = make_deal("stonewall")
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # skip foreign key checks, as the rows are consistent
        cursor.execute("SELECT setseed(0.5)")
        for statement in FILL:
            cursor.execute(statement, {"entries": entries, "deal": deal.pk})
        for layout in DEAL.values():
            for level, shift in enumerate(layout.shifts):
                cursor.execute(
                    "INSERT INTO leaderboards_dealbucket (deal_id, board, level, prefix, entries) "
                    f"SELECT deal_id, %s, %s, {layout.key} >> %s, count(*) FROM leaderboards_result "
                    f"WHERE {layout.key} IS NOT NULL GROUP BY 1, 4",
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
         CASE WHEN cards_up = 52 THEN ((127 - cards_up)::bigint << 45) | (tokens::bigint << 32) | elapsed_ms END
       FROM games_attempt""",
)

if __name__ == "__main__":
    sys.exit(main())
