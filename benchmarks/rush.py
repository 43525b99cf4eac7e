"""The midnight rush: what those meet with who arrive within a minute, and what becomes of others' moves.

`DATABASE_URL=postgres://… python -m benchmarks.rush`; exit code 1 when an aim is missed. It makes a database of its own
on that server, starts a Redis of its own and the whole production shape on them (`deploy/Procfile`, two web processes,
one of tables, collected static files), and ends all of it. Newcomers and returning accounts come at random moments of
the time, each the way of a browser: home, start page, start, table, `hello`, five moves, with one to three seconds of
thought before each step. Who is shown the queue waits in it as its page does. Others are at their tables before and
move every second.

Their moves are compared with those before the rush in the same run. CPU is user and system time of each process with
its children, less what it takes in the same time without a rush, for each who arrived. The load generator shares the
machine with what it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.databases import own_database, server_url
from benchmarks.processes import Shape, own_redis

NEWCOMERS, RETURNING, PLAYING = 200, 100, 100
SECONDS = 60.0
#: For how long moves are measured before the rush, in s, and how long everybody settles before that.
IDLE_SECONDS, SETTLING = 20.0, 3.0
#: The p99 of moves in the rush beside that before it.
MOVES_AIM = 3.0

Facts = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newcomers", type=int, default=NEWCOMERS, help="visitors who have never been here")
    parser.add_argument("--returning", type=int, default=RETURNING, help="accounts that are signed in already")
    parser.add_argument("--playing", type=int, default=PLAYING, help="players at their tables before the rush")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the time within which they arrive")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    if shutil.which("redis-server") is None:
        print("skipped: no redis-server is installed")
        return 0
    return report(run(options, url), as_json=options.json)


def run(options: argparse.Namespace, url: str) -> Facts:
    """Start everything, measure, and end everything; the figures."""
    with ExitStack() as stack:
        var = stack.enter_context(tempfile.TemporaryDirectory(prefix="talon-rush-"))
        database, redis = stack.enter_context(own_database(url)), stack.enter_context(own_redis())
        metrics = Path(var, "metrics")
        metrics.mkdir()
        environment = {
            **os.environ,
            "DATABASE_URL": database,
            "REDIS_URL": redis,
            "VAR_DIR": var,
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            "COLLECTED_STATIC": "1",
            "SECRET_KEY": "of a benchmark",
            "LOG_LEVEL": "WARNING",
            "SEALED_STOCK": "0",
            "DEAL_PATIENCE": "0",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        prepared = json.loads(
            subprocess.check_output(
                part("prepare", str(options.playing), str(options.returning)), env=environment, text=True
            )
        )
        shape = Shape(environment, Path(var))
        stack.callback(shape.stop)
        shape.start()
        facts = measure(options, shape, prepared)
        if facts["refused"]:
            print(shape.said(), end="", file=sys.stderr)
        return facts


class Part:
    """A process of `benchmarks.rush_parts` that gets ready, does its work when told to, and prints what it found."""

    def __init__(self, name: str, job: Facts) -> None:
        self._name = name
        self._process = subprocess.Popen(part(name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._say(json.dumps(job))
        if self._process.stdout is None or self._process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{name} has failed")

    def go_on(self) -> Any:  # noqa: ANN401 - a part's own
        """Tell it to go on; what it found in the end."""
        found, _ = self._process.communicate("\n")
        if self._process.returncode:
            raise SystemExit(f"{self._name} has failed")
        return json.loads(found)

    def end(self) -> None:
        """End it, if it has not ended."""
        self._process.kill()
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()


def part(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.rush_parts", *arguments]


def measure(options: argparse.Namespace, shape: Shape, prepared: Facts) -> Facts:
    """Let some play, then the others arrive; the figures."""
    with ExitStack() as stack:
        playing = Part("play", {"port": shape.tables, "players": prepared["playing"]})
        stack.callback(playing.end)
        job = {"newcomers": options.newcomers, "returning": prepared["returning"], "seconds": options.seconds}
        crowd = Part("arrive", {"ports": shape.ports, "tables": shape.tables, **job})
        stack.callback(crowd.end)
        time.sleep(SETTLING)
        quiet, costs = time.monotonic(), [shape.costs()]
        time.sleep(IDLE_SECONDS)
        costs.append(shape.costs())
        found = crowd.go_on()
        costs.append(shape.costs())
        waits = playing.go_on()
    rush = found["begun"], found["ended"]
    lasted = rush[1] - rush[0]
    a_second = {name: (costs[1][name] - costs[0][name]) / IDLE_SECONDS for name in costs[0]}
    added = {name: costs[2][name] - costs[1][name] - a_second[name] * lasted for name in a_second}
    arrived = max(1, found["arrived"])
    return {
        "newcomers": options.newcomers,
        "returning": options.returning,
        "playing": options.playing,
        "seconds": options.seconds,
        "lasted": lasted,
        "steps": {name: percentiles(times, 50, 95) for name, times in found["steps"].items()},
        "cpu": {name: max(0.0, seconds) * 1000 / arrived for name, seconds in added.items()},
        "cpu_idle": {name: seconds * 1000 for name, seconds in a_second.items()},
        "arrived": found["arrived"],
        "refused": sum(found["refused"].values()),
        "reasons": found["refused"],
        "queued": len(found["waits"]),
        "waits": {name: ms / 1000 for name, ms in percentiles(found["waits"], 50, 95, 100).items()},
        "moves": {
            **{f"idle_{name}": ms for name, ms in moves(waits, quiet, quiet + IDLE_SECONDS).items()},
            **{f"rush_{name}": ms for name, ms in moves(waits, *rush).items()},
        },
    }


def moves(waits: list[tuple[float, float]], begun: float, ended: float) -> dict[str, float]:
    """p50 and p99 in ms of the moves acknowledged between two moments."""
    return percentiles([wait for at, wait in waits if begun <= at <= ended], 50, 99)


def percentiles(seconds: list[float], *wanted: int) -> dict[str, float]:
    """In ms by name, such as p95; of nothing 0."""
    ordered = sorted(seconds) or [0.0]
    last = len(ordered) - 1
    return {f"p{percent}": ordered[min(last, len(ordered) * percent // 100)] * 1000 for percent in wanted}


def report(facts: Facts, *, as_json: bool) -> int:
    """Print the figures; the exit code."""
    ratio = facts["moves"]["rush_p99"] / max(0.001, facts["moves"]["idle_p99"])
    aims = (
        (f"refused or failed            {facts['refused']}, aim none", not facts["refused"]),
        (f"moves of those playing, p99  x {ratio:.2f} of before, aim less than {MOVES_AIM:g}", ratio < MOVES_AIM),
    )
    if as_json:
        print(json.dumps(facts))
    else:
        show(facts)
        for text, reached in aims:
            print(text, "ok" if reached else "MISSED")
    return 0 if all(reached for _, reached in aims) else 1


def show(facts: Facts) -> None:
    """Print all but the aims."""
    for name, of in sorted(facts["steps"].items()):
        print(f"{name:<24} p50 {of['p50']:8.1f} ms   p95 {of['p95']:8.1f} ms")
    for name, ms in facts["cpu"].items():
        print(f"CPU of {name:<17} {ms:8.2f} ms each   beside {facts['cpu_idle'][name]:7.2f} ms a second without a rush")
    print(f"CPU of all               {sum(facts['cpu'].values()):8.2f} ms each")
    waits = facts["waits"]
    print(f"{facts['arrived']} arrived, the last after {facts['lasted']:.0f} s; {facts['queued']} were queued", end="")
    print(f" for p50 {waits['p50']:.1f} s, p95 {waits['p95']:.1f} s, at most {waits['p100']:.1f} s")
    for when in ("idle", "rush"):
        p50, p99 = (facts["moves"][f"{when}_{name}"] for name in ("p50", "p99"))
        print(f"moves of those playing, {when}  p50 {p50:6.1f} ms   p99 {p99:6.1f} ms")
    for reason, count in facts["reasons"].items():
        print(f"{count} times {reason}")


if __name__ == "__main__":
    sys.exit(main())
