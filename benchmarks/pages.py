"""Server CPU of a newcomer's way from the home page to the fifth move, compared with a bare Django view.

`DATABASE_URL=… REDIS_URL=… python -m benchmarks.pages`; the exit code is 1 if a target is missed. It uses its own
database on that server, and drops it at the end; without Redis, the cache is process memory. A real server process with
collected static files gets requests as from browsers, with gzip, and its CPU time (user and system) is read before and
after every step. The bare view is in the same process, on the same server, behind Django's own handler without
middleware, and is requested in every round between the others. The wall clock plays no part.

There are two measurements: with newcomers in sequence, where each commit and each loop iteration serves one, and with
several at once, as at midnight, who share batched work. Both have targets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

from benchmarks.databases import own_database, server_url
from benchmarks.pages_parts import Visitor
from benchmarks.references import announce, row

PLAYERS = 60  # per round
ROUNDS = 5
AT_ONCE = {"one at a time": 1, "eight at once": 8}
MOVES = 5

SERVED = {"COLLECTED_STATIC": "1"}

PATH_AIM = 30.0
HOME_AIM = 2.0

HOME = "home, newcomer"
WAY = (HOME, "start page", "start", "table", "hello and moves")
BARE = "bare view"
OTHERS = {
    "home, with games begun": "/",
    "start page, with games": "/play/stonewall/",
    "rules of a game": "/rules/braid/",
    "boards": "/boards/",
    "board of a deal": "/boards/{day}/braid/",
    "archive": "/deals/",
    "today's puzzle": "/puzzles/",
}

Step = Callable[[Visitor], Awaitable[None]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=PLAYERS, help="newcomers a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="print the medians as JSON, without targets")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    with own_database(url) as own, tempfile.TemporaryDirectory() as var:
        environment = {**SERVED, **os.environ, "DATABASE_URL": own, "VAR_DIR": var}
        announce(environment, "certified deals", "workers and beat", file=sys.stderr if options.json else None)
        return measure(options, environment)


def measure(options: argparse.Namespace, environment: dict[str, str]) -> int:
    """Prepare, serve, request, print, and return the exit code."""

    def part(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "benchmarks.pages_parts", *arguments]

    day = json.loads(subprocess.check_output(part("prepare"), env=environment))["day"]
    server = subprocess.Popen(part("serve"), env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        load = Load(port, server.pid, options.players, day)
        found = asyncio.run(load.rounds(options.rounds))
    finally:
        server.terminate()
        server.wait(20)
    medians = {how: {what: statistics.median(times) for what, times in steps.items()} for how, steps in found.items()}
    if options.json:
        print(json.dumps(medians))
        return 0
    return max(report(how, steps) for how, steps in medians.items())


def report(how: str, medians: dict[str, float]) -> int:
    """Print the figures beside the bare view's, and return the exit code."""
    bare = medians[BARE]
    way = sum(medians[step] for step in WAY)
    print(f"newcomers {how}")
    for what, ms in (*medians.items(), ("the whole way", way)):
        print(f"{what:<26} {ms:>7.2f} ms of CPU   x {ms / bare:5.1f} of the bare view")
    reached = [
        row(f"the whole way, {how}", way, bare, "ms", at_most=PATH_AIM),
        row(f"home, {how}", medians[HOME], bare, "ms", at_most=HOME_AIM),
    ]
    return int(not all(reached))


class Load:
    """The visitors, each from a new address."""

    def __init__(self, port: int, pid: int, players: int, day: str) -> None:
        self.port, self.players, self.day = port, players, day
        self.clock = (~pid << 3) | 2  # CPU clock id of that process, as clock_getcpuclockid(3) computes it
        self.visitors = random.randrange(1 << 23)  # also avoids addresses of other runs, which Redis may still count
        self.at_once = 1

    async def rounds(self, count: int) -> dict[str, dict[str, list[float]]]:
        """Return the CPU ms of each step per visitor in every round, with this many visitors at once.

        Rounds of each kind take turns, after one warm-up round.
        """
        found: dict[str, dict[str, list[float]]] = {how: {} for how in AT_ONCE}
        for number in range(count + 1):
            for how, self.at_once in AT_ONCE.items():
                taken = await self.round()
                for what, ms in taken.items() if number else ():
                    found[how].setdefault(what, []).append(ms)
        return found

    async def round(self) -> dict[str, float]:
        """Run one round."""
        visitors = [self.visitor() for _ in range(self.players)]

        async def get(path: str, visitor: Visitor) -> None:
            await visitor.get(path)

        def at(path: str) -> Step:
            return lambda visitor: get(path.format(day=self.day), visitor)

        taken = {BARE: await self.step(visitors, at("/bare"))}
        taken[WAY[0]] = await self.step(visitors, at("/"))
        taken[WAY[1]] = await self.step(visitors, at("/play/braid/"))
        taken[WAY[2]] = await self.step(visitors, lambda visitor: visitor.start("/play/braid/start"))
        taken[WAY[3]] = await self.step(visitors, lambda visitor: visitor.table())
        taken[WAY[4]] = await self.step(visitors, lambda visitor: visitor.play(MOVES))
        for what, path in OTHERS.items():
            taken[what] = await self.step(visitors, at(path))
        again = await self.step(visitors, at("/bare"))
        taken[BARE] = (taken[BARE] + again) / 2
        await asyncio.gather(*(visitor.close() for visitor in visitors))
        return taken

    async def step(self, visitors: list[Visitor], step: Step) -> float:
        """Return the server's CPU ms per visitor for a step."""
        waiting = iter(visitors)

        async def take() -> None:
            for visitor in waiting:
                await step(visitor)

        before = time.clock_gettime(self.clock)
        await asyncio.gather(*(take() for _ in range(self.at_once)))
        return (time.clock_gettime(self.clock) - before) * 1000 / len(visitors)

    def visitor(self) -> Visitor:
        self.visitors += 1
        return Visitor(self.port, f"10.{self.visitors >> 16 & 255}.{self.visitors >> 8 & 255}.{self.visitors & 255}")


if __name__ == "__main__":
    sys.exit(main())
