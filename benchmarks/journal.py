"""The journal partitioned by day on PostgreSQL: commits compared with a single table, and dropping with deleting.

`DATABASE_URL=postgres://… python -m benchmarks.journal`; the exit code is 1 if a target is missed. It uses its own
database on that server, and drops it at the end. Both journals are measured in turns with the site's own statements. A
twentieth of a day's games are still open when the day is dropped, and are carried over. Deleting includes the vacuum.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

from benchmarks.databases import own_database, server_url
from benchmarks.references import announce, row

BATCH = 128
ROUNDS = 6
COMMITS = 150
ROWS = 2_000_000
ROWS_A_GAME = 100
OPEN = 20  # one game in this many is running practice

COMMIT_AIM = 1.35
GONE_AIM = 0.5
#: The longest commit while a day is dropped, relative to the median of all commits by day.
STALL_AIM = 100.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.rows, options.commits)
    url = server_url()
    if not url:
        return 0
    announce(os.environ, "certified deals", "workers and beat")
    with own_database(url) as own, tempfile.TemporaryDirectory() as var:
        command = [sys.executable, "-m", "benchmarks.journal", *sys.argv[1:], "--measure"]
        environment = {**os.environ, "DATABASE_URL": own, "VAR_DIR": var}
        return subprocess.run(command, env=environment, check=False).returncode


def measure(rows: int, commits: int) -> int:
    """Measure in the benchmark's own database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    journal = Journal()
    one, days = journal.commits(commits)
    reached = [row("commit of 128 moves, by day and in one table", days, one, "ms", at_most=COMMIT_AIM)]
    deleted, dropped = journal.gone(rows)
    reached += [
        row("a day dropped, and deleted and vacuumed", dropped, deleted, "s", at_most=GONE_AIM),
        row("longest commit meanwhile, and the median", journal.longest * 1000, days, "ms", at_most=STALL_AIM),
    ]
    return 0 if all(reached) else 1


class Journal:
    """The journal in both forms, with made-up moves."""

    def __init__(self) -> None:
        from importlib import import_module

        from django.utils import timezone

        from accounts.sign_in.guests import create_guest
        from benchmarks.play_parts import make_deals
        from games.models import Deal

        make_deals()
        self.player, self.deal, self.now = create_guest(), Deal.objects.all()[0], timezone.now()
        self.migration: Any = import_module("games.migrations.0001_squashed")
        self.day = date(2026, 1, 1)
        self.longest = 0.0

    def commits(self, count: int) -> tuple[float, float]:
        """Return the ms of a commit in one table and by day: medians of rounds in turns."""
        times: dict[bool, list[float]] = {True: [], False: []}
        for number in range(2 * ROUNDS):
            by_day = number % 2 == 0
            self.form(by_day=by_day)
            times[by_day].append(self.write(self.begin(BATCH), count))
        one, days = (statistics.median(times[by_day]) for by_day in (False, True))
        return one * 1000, days * 1000

    def gone(self, rows: int) -> tuple[float, float]:
        """Return the seconds to remove a day from one table, and to drop its partition."""
        self.form(by_day=False)
        self.fill(rows)
        deleted = self.timed(self.purge)
        one = deleted + self.timed(self.vacuum)
        self.form(by_day=True)
        self.fill(rows)
        self.next_day()
        stop, playing = threading.Event(), self.begin(BATCH)
        moves = threading.Thread(target=self.keep_moving, args=(playing, stop))
        moves.start()
        days = self.timed(self.drop)
        stop.set()
        moves.join()
        print(
            f"{rows} moves: deleted in {deleted:.2f} s and vacuumed in {one - deleted:.2f} s, dropped in {days:.2f} s"
        )
        return one, days

    def form(self, *, by_day: bool) -> None:
        from django.db import connection

        editor = SimpleNamespace(connection=connection, deferred_sql=[])
        self.migration.join(None, editor)
        if by_day:
            self.migration.partition(None, editor)
            self.next_day()

    def next_day(self) -> None:
        from games.attempts.journal_partitions import begin_day

        begin_day(self.day)
        self.day += timedelta(days=1)

    def begin(self, count: int) -> list[int]:
        from games.models import Attempt

        attempts = (
            Attempt(player=self.player, deal=self.deal, ranked=False, started_at=self.now) for _ in range(count)
        )
        return [attempt.pk for attempt in Attempt.objects.bulk_create(attempts, batch_size=1000)]

    def write(self, playing: list[int], count: int) -> float:
        """Return the median time of a commit with a move of each attempt."""
        from games.live.journal_store import JournalEntry, JournalStore

        store, times = JournalStore("default"), []
        for n in range(1, count + 1):
            begun = time.perf_counter()
            store.write([JournalEntry(attempt_id, n, ("t0-t1",), n) for attempt_id in playing])
            times.append(time.perf_counter() - begun)
        store.close()
        return statistics.median(times)

    def keep_moving(self, playing: list[int], stop: threading.Event) -> None:
        from games.live.journal_store import JournalEntry, JournalStore

        store, n = JournalStore("default"), 0
        while not stop.is_set():
            n += 1
            begun = time.perf_counter()
            store.write([JournalEntry(attempt_id, n, ("t0-t1",), n) for attempt_id in playing])
            self.longest = max(self.longest, time.perf_counter() - begun)
        store.close()

    def fill(self, rows: int) -> None:
        """Insert the games of one day, most of them finished hours ago."""
        from django.db import connection

        from games.models import Attempt

        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE games_move")
        Attempt.objects.all().delete()
        games = self.begin(rows // ROWS_A_GAME)
        first, last = games[0], games[-1]
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE games_attempt SET state = 'verified', record = '', \"end\" = 'resigned', "
                "started_at = started_at - interval '9 hours', finished_at = started_at - interval '8 hours' "
                "WHERE id BETWEEN %s AND %s AND id %% %s <> 0",
                [first, last, OPEN],
            )
            cursor.execute(
                "UPDATE games_attempt SET started_at = started_at - interval '9 hours' WHERE state = 'playing'"
            )
            cursor.execute(
                "INSERT INTO games_move (attempt_id, n, token, ms, auto) "
                "SELECT a.id, n, CASE WHEN n = %s AND a.state <> 'playing' THEN '' ELSE 't0-t1' END, n, false "
                "FROM games_attempt a, generate_series(1, %s) n WHERE a.id BETWEEN %s AND %s",
                [ROWS_A_GAME, ROWS_A_GAME, first, last],
            )
            cursor.execute("ANALYZE games_move")
            cursor.execute("ANALYZE games_attempt")
            cursor.execute("CHECKPOINT")

    def purge(self) -> None:
        from games.attempts.lifecycle import purge_journal

        purge_journal(seconds=600)

    def vacuum(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("VACUUM games_move")

    def drop(self) -> None:
        from games.attempts.journal_partitions import drop_days

        assert drop_days() == 1

    def timed(self, work: Any) -> float:  # noqa: ANN401
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
