"""Refolding the ratings of 100,000 races of 2 to 16 racers from the first one on, and the cost of one race at the end.

`[DATABASE_URL=postgres://…] python -m benchmarks.ratings [--races N]`; the exit code is 1 if a target is missed. It
uses its own database, on that server or else in a file. Both targets are ratios to the fold alone, without a database,
over the same races in the same process. Two thirds of the entrants are regulars.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchmarks.databases import own_database
from benchmarks.references import announce, row
from benchmarks.rows import make_deal

if TYPE_CHECKING:
    from leaderboards.ratings.fold_input import Key

RACES = 100_000
PLAYERS = 3_000
#: The whole relative to the fold alone: in CPU time of this process, and by the wall clock, which includes PostgreSQL.
RATIO_AIM = 5.0
CLOCK_AIM = 12.0
LATE = 20
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
#: Generated races per room, as their numbers have two bytes.
A_ROOM = 1_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=RACES)
    parser.add_argument("--players", type=int, default=PLAYERS)
    options = parser.parse_args()
    url = os.environ.get("DATABASE_URL", "")
    database: AbstractContextManager[str] = own_database(url) if url.startswith("postgres") else nullcontext(url)
    with database as own, tempfile.TemporaryDirectory() as var:
        if own:
            os.environ["DATABASE_URL"] = own
        os.environ.update(VAR_DIR=var, DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="WARNING")
        os.environ.pop("REDIS_URL", None)
        announce(os.environ, "Redis", "workers and beat")
        import django

        django.setup()
        try:
            return measure(options.races, options.players)
        finally:
            from django.db import connection

            connection.close()
            if connection.vendor == "postgresql":
                cast("Any", connection).close_pool()


def measure(races: int, players: int) -> int:
    """Fill, measure, print, and return the exit code."""
    from django.core.management import call_command
    from django.db import connection

    from leaderboards.models import ProvisionalChange, RatingChange
    from leaderboards.ratings import audit, fold_input, folding

    call_command("migrate", verbosity=0)
    fill(races, players)
    assert folding.rate_finished() == races
    changes = ProvisionalChange.objects.count() + RatingChange.objects.count()
    print(f"{races:,} races of {players:,} players in {connection.vendor}, {changes:,} changes")

    first = fold_input.first()
    assert first is not None
    print(f"load of this machine: {os.getloadavg()[0]:.1f}", flush=True)
    server = server_seconds()
    whole, cpu = timed(lambda: folding.refold(first.race))
    server = server_seconds() - server
    alone = fold_alone(first)
    late, _ = timed(lambda: folding.refold(last_but(LATE)))
    print(f"refolded with {cpu:.1f} s of this process and {server:.1f} s of PostgreSQL's (0 when it is not here)")
    print(f"refolding the last {LATE + 1} races: {late * 1000:.0f} ms", flush=True)
    assert not list(audit.faults())
    reached = [
        row("CPU time beside the fold alone", cpu, alone, "s", at_most=RATIO_AIM),
        row("by the clock, beside the fold alone", whole, alone, "s", at_most=CLOCK_AIM),
    ]
    return int(not all(reached))


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of some work, by the wall clock and of this process's CPU."""
    begun, begun_cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - begun_cpu


def server_seconds() -> float:
    """Return the CPU seconds of the PostgreSQL process that serves this one; 0 if on another machine."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        stat = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    if not stat.exists():
        return 0.0
    name, _, rest = stat.read_text().rpartition(")")
    user, system = rest.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") if "postgres" in name else 0.0


def fold_alone(first: Key) -> float:
    """Return the CPU seconds of both folds in memory."""
    from leaderboards.ratings.fold_input import races_from
    from leaderboards.ratings.rules import Fold

    folds, spent = (Fold(provisional=True), Fold(provisional=False)), 0.0
    for chunk in races_from(first):
        begun = time.process_time()
        for raced in chunk.races:
            for fold in folds:
                fold.add(raced)
        spent += time.process_time() - begun
    return spent


def last_but(count: int) -> int:
    """Return the id of the race with this many later ones."""
    from leaderboards.ratings.fold_input import finished

    return finished().order_by("-finished_at", "-id").values_list("id", flat=True)[count]


def fill(races: int, players: int) -> None:
    """Create players of different strengths with races; takes a minute or more."""
    from django.contrib.auth import get_user_model
    from django.db import transaction

    from games.races.models import Entrant, Race, Room

    choose = random.Random(11)
    user = get_user_model()
    user.objects.bulk_create([user(username=f"p{n}", display_name=f"p{n}") for n in range(players)], batch_size=500)
    ids = list(user.objects.order_by("pk").values_list("pk", flat=True))
    strength = {player: choose.gauss(1500, 250) for player in ids}
    eager = list(itertools.accumulate(choose.paretovariate(1.3) for _ in ids))
    deal = make_deal("plot", None)
    for begin in range(0, races, A_ROOM):
        with transaction.atomic():
            room = Room.objects.create(kind="quick", game="plot", limit_s=600, seats=16, made_at=FIRST, used_at=FIRST)
            created = [
                Race(
                    room=room, number=n - begin + 1, state="finished", rated=True, variant="plot", game="plot",
                    limit_s=600, deal=deal, opened_at=at, starts_at=at, ends_at=at, finished_at=at,
                )
                for n in range(begin, min(races, begin + A_ROOM))
                for at in [FIRST + timedelta(minutes=5 * n)]
            ]  # fmt: skip
            Race.objects.bulk_create(created)
            entrants = [
                Entrant(
                    race=race,
                    player_id=player,
                    state="won",
                    place=place,
                    joined_at=race.opened_at,
                    standing=3 if player % 3 else 2,
                    link_group=0,
                )
                for race in created
                for place, player in enumerate(ranking(choose, ids, eager, strength), 1)
            ]
            Entrant.objects.bulk_create(entrants, batch_size=1_000)


def ranking(choose: random.Random, ids: list[int], eager: list[float], strength: dict[int, float]) -> list[int]:
    """Return two to sixteen players, chosen by how often they play, in the order of their results."""
    wanted = choose.randint(2, 16)
    who: set[int] = set()
    while len(who) < wanted:
        who.update(choose.choices(ids, cum_weights=eager, k=wanted - len(who)))
    return sorted(who, key=lambda player: choose.gauss(strength[player], 175), reverse=True)


if __name__ == "__main__":
    sys.exit(main())
