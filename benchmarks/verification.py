"""Verdicts per second of one Celery worker process, and the time from the finish of a game to its rank.

`DATABASE_URL=postgres://… python -m benchmarks.verification`; the exit code is 1 if a target is missed. It uses its own
database on that server, which it drops at the end, and its own Redis, both configured as in production. The records
have 200 tokens each, of every catalogue variant in turn, and all are ranked. Then the rate is measured again with some
wins, which are longer and are compared with each other for copies. These are by simple players on easy deals, so that
many are alike. Everything is compared, in turns, with tasks that only commit one row, on the same worker.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from benchmarks.databases import own_database
from benchmarks.references import announce, commits, make_table, row
from benchmarks.rows import DAY, NOON, finished, make_account, make_deal

if TYPE_CHECKING:
    from games.models import Attempt, Deal

    Easy = list[tuple[Deal, str, Any]]

RECORDS = 3_000
TOKENS = 200
FINISHES = 40
MIXED = 400  # per round
ONE_WIN_IN = 5
ROUNDS = 3
QUEUE, REFERENCES = "verdicts", "benchmarks.references"
RATE_AIM = 0.4
MIXED_AIM = 0.3
LATENCY_AIM = 8.0
#: Seeds of deals that simple players win often, several of them in the same way.
EASY = {
    "braid": bytes([7]) * 32,
    "braid-either": bytes([19]) * 32,
    "pigtail": bytes([2]) * 32,
    "labyrinth": bytes([29]) * 32,
    "tarot": bytes([20]) * 32,
    "tarot-novice": bytes([5]) * 32,
    "tarot-adept": bytes([34]) * 32,
    "plot": bytes([25]) * 32,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--finishes", type=int, default=FINISHES)
    options = parser.parse_args()
    url = os.environ.get("DATABASE_URL", "")
    from deploy.servers import Redis

    if not url.startswith("postgres") or not Redis.is_installed():
        print("skipped: DATABASE_URL names no PostgreSQL, or no redis-server is installed")
        return 0
    server = Redis()
    server.start()
    try:
        with own_database(url) as own, tempfile.TemporaryDirectory() as var:
            os.environ.update(DATABASE_URL=own, REDIS_URL=server.url, VAR_DIR=var)
            os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="WARNING")
            announce(os.environ, "certified deals", "all workers but one for verdicts", "beat")
            import django

            django.setup()
            try:
                return measure(options.records, options.finishes)
            finally:
                from django.db import connection

                connection.close()
                cast("Any", connection).close_pool()
    finally:
        server.stop()


def measure(records: int, finishes: int) -> int:
    """Fill, measure, print, and return the exit code."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make_table()
    deals, easy = make_deals(), easy_deals()
    each = records // ROUNDS
    rates, mixed_rates, tasks, bare = list[float](), list[float](), list[float](), list[float]()
    worker = start_worker()
    try:
        warm_up(deals)
        for number in range(ROUNDS):
            # A task settles all pending attempts, so a round's records are created just before it.
            numbers = range(number * each, (number + 1) * each)
            attempts = [finish(deals[one % len(deals)], one) for one in numbers]
            rate, rate_of_tasks = verdicts_per_second(attempts)
            bare.append(each / commits(each, QUEUE, every=0.1))
            mixed_rate, _ = verdicts_per_second(with_wins(deals, easy, min(each, MIXED), number * each))
            rates.append(rate)
            mixed_rates.append(mixed_rate)
            tasks.append(rate_of_tasks)
        latency, bare_latency = finish_to_rank(deals, finishes)
    finally:
        worker.terminate()
        worker.wait(60)  # it may wait half a minute until its parent has counted its tasks
    beside = statistics.median(bare)
    print(f"tasks until none waits {statistics.median(tasks):.0f}/s")
    met = [
        row(f"verdicts on {TOKENS} tokens", statistics.median(rates), beside, "/s", at_least=RATE_AIM),
        row(f"verdicts, one of {ONE_WIN_IN} a win", statistics.median(mixed_rates), beside, "/s", at_least=MIXED_AIM),
        row("finish to rank, idle", latency, bare_latency, "ms", at_most=LATENCY_AIM),
    ]
    return 0 if all(met) else 1


def start_worker() -> subprocess.Popen[bytes]:
    """Start one worker process, as in production."""
    command = [
        "-m",
        "celery",
        "-A",
        "config.celery",
        "worker",
        "--include",
        REFERENCES,
        "--queues",
        QUEUE,
        "-c",
        "1",
        "-l",
        "WARNING",
    ]
    return subprocess.Popen([sys.executable, *command, "--without-mingle", "--without-gossip"])


def make_deals() -> list[Deal]:
    """Create a deal of each variant."""
    from games.rules import CATALOGUE

    return [make_deal(name) for name in CATALOGUE]


def line(deal: Deal, number: int) -> list[str]:
    """Return two hundred legal tokens that do not win, different for each number."""
    walks = (walk(deal, random.Random(seed)) for seed in itertools.count(number, 10**7))
    return next(tokens for tokens in walks if len(tokens) == TOKENS)


def walk(deal: Deal, choose: random.Random) -> list[str]:
    """Return random tokens, with undos also when stuck, until the game is won or has enough."""
    from games.attempts.lifecycle import deal_table

    table, found = deal_table(deal), list[str]()
    while len(found) < TOKENS and not table.is_won:
        legal = table.legal_moves()
        found.append(choose.choice(legal) if legal and not (table.can_undo and choose.random() < 0.1) else "u")
        table.push(found[-1])
    return found


def finish(deal: Deal, number: int) -> Attempt:
    """Create a finished attempt at a human pace."""
    pace = random.Random(number)
    clock = list(itertools.accumulate(pace.randrange(500, 2500) for _ in range(TOKENS)))
    return finished(deal, line(deal, number), clock, "resigned", started_at=NOON + timedelta(seconds=number))


def with_wins(deals: list[Deal], easy: Easy, records: int, first: int) -> list[Attempt]:
    """Create finished attempts, some of them won, numbered from `first` on."""
    wins = natural_wins(easy, first, max(1, records // ONE_WIN_IN + 1))
    return [
        win(*next(wins), number) if number % ONE_WIN_IN == 0 else finish(deals[number % len(deals)], 2 * 10**6 + number)
        for number in range(first, first + records)
    ]


def easy_deals() -> Easy:
    """Create deals that are easily won, each with its variant and seed."""
    return [(make_deal(name, DAY - timedelta(days=9), seed=seed), name, seed) for name, seed in EASY.items()]


def natural_wins(easy: Easy, first: int, number: int) -> Iterator[tuple[Deal, tuple[str, ...]]]:
    """Yield wins by a simple player, from the easy deals in turn."""
    from games.rules import open_table
    from games.solver.simulated_players import SKILLS, skilled_game

    chance, found = random.Random(first), 0
    for deal, name, seed in itertools.cycle(easy):
        table = open_table(name, seed)
        skilled_game(table, SKILLS["fair"], chance)
        if table.is_won:
            found += 1
            yield deal, table.moves
        if found == number:
            return


def win(deal: Deal, tokens: Sequence[str], number: int) -> Attempt:
    """Create a win at a human pace."""
    from games.fairplay.copies import digest_of
    from games.rules import open_table

    pace = random.Random(number)
    clock = list(itertools.accumulate(pace.randrange(500, 2500) for _ in tokens))
    sketch = digest_of(open_table(deal.variant, bytes(deal.seed)), tokens)
    return finished(deal, tokens, clock, "won", started_at=NOON + timedelta(seconds=number), decisions_digest=sketch)


def warm_up(deals: list[Deal]) -> None:
    """Have the worker judge every kind of record once."""
    verdicts_per_second([finish(deal, 10**6 + number) for number, deal in enumerate(deals)])


def verdicts_per_second(attempts: list[Attempt]) -> tuple[float, float]:
    """Send the tasks of all attempts; return verdicts per second, and tasks per second until the queue is empty.

    A task settles others along with its own, so the verdicts are complete before the last tasks are done.
    """
    from games.core.events import request_verdict
    from games.models import Attempt

    pending = Attempt.objects.filter(pk__in=[attempt.pk for attempt in attempts], state="pending")
    for attempt in attempts:
        request_verdict(attempt.pk)
    verdicts, tasks = pending.count(), tasks_left()
    started = time.perf_counter()
    while pending.exists():
        time.sleep(0.1)  # polling takes CPU from the worker
    settled = time.perf_counter() - started
    while tasks_left():
        time.sleep(0.1)
    return verdicts / settled, tasks / (time.perf_counter() - started)


def tasks_left() -> int:
    """Return the number of queued tasks; the worker has reserved a handful more."""
    import redis
    from django.conf import settings

    queue = redis.Redis.from_url(settings.REDIS_URL)
    return queue.llen(settings.CELERY_TASK_ROUTES["talon.verify"])


def finish_to_rank(deals: list[Deal], finishes: int) -> tuple[float, float]:
    """Measure, in turns, the median ms from a resignation to its rank, and from sending a commit-only task to its row.

    The resignation is made as the game's process makes it.
    """
    from django.utils import timezone

    from games.attempts.lifecycle import close_attempt
    from games.models import Attempt
    from leaderboards.boards import deal_boards

    times, bare = [], []
    for number in range(finishes):
        deal, player = deals[number % len(deals)], make_account()
        attempt = Attempt.objects.create(deal=deal, player=player, ranked=True, started_at=timezone.now())
        time.sleep(0.05)  # idle
        started = time.perf_counter()
        close_attempt(attempt.pk, "resigned")
        while deal_boards.rank_of(deal, "race", player) is None:
            time.sleep(0.001)
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(0.05)  # idle
        bare.append(commits(1, QUEUE, every=0.001) * 1000)
    return statistics.median(times), statistics.median(bare)


if __name__ == "__main__":
    sys.exit(main())
