"""A puzzle's page, a move at a puzzle and a move in a storm, beside a bare view of the API: CPU time and p95.

`DATABASE_URL=postgres://… python -m benchmarks.puzzles [--calls N]`; the exit code is 1 if a target is missed. It uses
its own database on that server, and drops it at the end. A signed-in player tries the shipped puzzles through the
site's own middleware, right and wrong by chance, in turns with the list of variants, which reads no database. Losses
are explained beforehand, as they are after the first player. CPU time is this process's and excludes PostgreSQL's.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import count, repeat
from typing import TYPE_CHECKING, Any

from benchmarks.databases import own_site, server_url
from benchmarks.references import announce, row

if TYPE_CHECKING:
    from django.test import Client

    Request = tuple[Client, str, dict[str, Any] | None]
    """A client, and the path and body of its request: a move, or a page without a body."""

CALLS = 400
WARM_UP = 20
BARE = "bare view"
CPU_AIM, P95_AIM = 4.0, 6.0
#: Puzzles played in each storm, in far less than its three minutes.
STORM = 10
#: Share of right moves outside storms, where a wrong one costs ten seconds.
RIGHT = 0.7
UNLIMITED = "1000000/m"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    announce(os.environ, "certified deals", "Redis", "rate limits")
    with own_site(url):
        return measure(options.calls)


def measure(calls: int) -> int:
    """Request, print, and return the exit code."""
    found = timed(requests(), calls)
    bare = found.pop(BARE)
    reached = []
    for kind, (cpu, p95) in found.items():
        reached.append(row(f"{kind}, CPU", cpu, bare[0], "ms", at_most=CPU_AIM))
        reached.append(row(f"{kind}, p95", p95, bare[1], "ms", at_most=P95_AIM))
    return int(not all(reached))


def timed(calls: Mapping[str, Iterator[Request]], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median CPU ms and the p95 of wall ms of each kind of request, all of them made in turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for number in range(WARM_UP + rounds):
        for name, following in calls.items():
            client, path, body = next(following)
            begun, cpu = time.perf_counter(), time.process_time()
            answer = client.get(path) if body is None else client.post(path, body, content_type="application/json")
            assert answer.status_code == 200, answer.content
            if number >= WARM_UP:
                times[name].append((1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - begun)))
    return {
        name: (statistics.median(cpu for cpu, _ in found), statistics.quantiles((wall for _, wall in found), n=20)[-1])
        for name, found in times.items()
    }


def requests() -> dict[str, Iterator[Request]]:
    """Return the requests to measure, by kind."""
    from django.core.management import call_command

    from games.core import limits
    from games.puzzles import store
    from games.puzzles.models import StoredPuzzle

    call_command("migrate", verbosity=0)
    store.ensure_any()
    limits.RATES.update(api=UNLIMITED, puzzle=UNLIMITED)
    dice, client = random.Random(11), signed_in("reader")
    numbers = list(StoredPuzzle.objects.values_list("pk", flat=True))
    return {
        BARE: repeat((client, "/api/v1/variants", None)),
        "a puzzle's page": ((client, f"/puzzles/{dice.choice(numbers)}/", None) for _ in count()),
        "a move at a puzzle": puzzle_moves(dice),
        "a move in a storm": storm_moves(),
    }


def signed_in(name: str) -> Client:
    """Return the client of a new account."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(get_user_model().objects.create_user(name))
    return client


def puzzle_moves(dice: random.Random) -> Iterator[Request]:
    """Yield moves at all puzzles of the site, which one player after another tries."""
    from games.puzzles.losses.refutations import explain
    from games.puzzles.models import StoredPuzzle
    from games.puzzles.puzzle import Puzzle

    for player in count():
        client = signed_in(f"puzzler {player}")
        for stored in StoredPuzzle.objects.order_by("?"):
            puzzle, turn = Puzzle.from_json(stored.contents), 0
            while turn < stored.turns:
                is_right = dice.random() < RIGHT
                token = puzzle.line[puzzle.turns[turn]] if is_right else dice.choice(list(puzzle.losses[turn]))
                if not is_right:
                    explain(stored.pk, turn, token)
                yield client, f"/puzzles/{stored.pk}/move", {"turn": turn, "token": token}
                turn += is_right


def storm_moves() -> Iterator[Request]:
    """Yield the right moves at the first puzzles of one storm after another."""
    from games.puzzles.models import StoredPuzzle
    from games.puzzles.puzzle import Puzzle
    from games.puzzles.runs import puzzle_runs

    client = signed_in("stormer")
    while True:
        run = puzzle_runs.begin(int(client.session["_auth_user_id"]), "storm")
        puzzle_runs.show(run.pk)
        run.refresh_from_db()
        for at, key in enumerate(run.puzzles[:STORM]):
            puzzle = Puzzle.from_json(StoredPuzzle.objects.get(pk=key).contents)
            for turn, n in enumerate(puzzle.turns):
                body = {"at": at, "turn": turn, "token": puzzle.line[n]}
                yield client, f"/puzzles/storm/{run.public_id}/move", body


if __name__ == "__main__":
    sys.exit(main())
