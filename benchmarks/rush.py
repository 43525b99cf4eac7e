"""The midnight rush: waiting times of players who arrive within a minute, and their effect on others' moves.

`DATABASE_URL=postgres://… python -m benchmarks.rush`; the exit code is 1 if a target is missed. It uses its own
database on that server, its own Redis, and the whole production form on them (`deploy/Procfile`: two web processes, one
table process, collected static files), and stops all of it at the end. Newcomers and returning accounts arrive at
random moments, and each takes a browser's way: home, start page, start, table, `hello`, five moves, with one to three
seconds of thought before each step. Queued players wait as their page does. Other players are at their tables before,
and move every second.

With `--bursts 300 1000`, that many newcomers arrive within three seconds instead, in successive bursts, without pauses
for thought, and there are two table processes. The queue's page is no failure, every other server error is.

Moves are compared with those before the rush in the same run. CPU is user and system time of each process with its
children per arrival, minus its usage in the same time without a rush. The load generator shares the machine with the
servers; "cores" are what it and other processes leave to them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.databases import server_url
from benchmarks.processes import Shape, own_servers

NEWCOMERS, RETURNING, PLAYING = 200, 100, 100
SECONDS = 60.0
#: Processes of the arriving players; on a busy machine, one would get less CPU than the servers.
CROWDS = 4
LISTS = ("waits", "firsts", "seated")
#: Seconds of thought between two steps of arriving players.
THOUGHT = (1.0, 3.0)
#: Seconds in which moves are measured before the rush, and of settling before that.
IDLE_SECONDS, SETTLING = 20.0, 3.0
#: p99 of moves during the rush, relative to that before it.
MOVES_AIM = 3.0
#: For a burst: 95 % are seated within this multiple of the time that the servers' CPU needs; the p95 of moves in ms.
BURST_SECONDS, CPU_AIM, MOVES_MS = 3.0, 2.0, 100.0

Facts = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newcomers", type=int, default=NEWCOMERS, help="first-time visitors")
    parser.add_argument("--returning", type=int, default=RETURNING, help="accounts that are signed in already")
    parser.add_argument("--playing", type=int, default=PLAYING, help="players at their tables before the rush")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds within which they arrive")
    parser.add_argument("--bursts", type=int, nargs="+", default=[], help="newcomers within three seconds each")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    if shutil.which("redis-server") is None:
        print("skipped: no redis-server is installed")
        return 0
    if options.bursts:
        options.returning, options.seconds = 0, BURST_SECONDS
        return max(report_burst(facts) for facts in run(options, url))
    return report(next(run(options, url)), as_json=options.json)


def run(options: argparse.Namespace, url: str) -> Iterator[Facts]:
    """Start everything, measure, and stop everything; yield the figures of each burst, or of the single rush."""
    with ExitStack() as stack:
        environment = stack.enter_context(own_servers(url))
        home = Path(environment["VAR_DIR"])
        metrics = home / "metrics"
        metrics.mkdir()
        environment |= {
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            "COLLECTED_STATIC": "1",
            "DEAL_PATIENCE": "0",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        prepared = json.loads(
            subprocess.check_output(
                part("prepare", str(options.playing), str(options.returning)), env=environment, text=True
            )
        )
        shape = Shape(environment, home, tables=2 if options.bursts else 1)
        stack.callback(shape.stop)
        shape.start()
        for newcomers in options.bursts or [options.newcomers]:
            options.newcomers = newcomers
            facts = measure(options, shape, prepared)
            if facts["refused"]:
                print(shape.output(), end="", file=sys.stderr)
            yield facts


class Part:
    """A process of `benchmarks.rush_parts` that gets ready, does its work on command, and prints its results."""

    def __init__(self, name: str, job: Facts) -> None:
        self._name = name
        # Linux shares the CPU between sessions, so in the crowds' session the players would wait behind them.
        self._process = subprocess.Popen(
            part(name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=name == "play"
        )
        self._say(json.dumps(job))
        if self._process.stdout is None or self._process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{name} has failed")

    def go_on(self) -> None:
        """Tell it to continue."""
        self._say("")

    def found(self) -> Any:  # noqa: ANN401 - a part's own
        """Wait for its results."""
        found, _ = self._process.communicate()
        if self._process.returncode:
            raise SystemExit(f"{self._name} has failed")
        return json.loads(found)

    def end(self) -> None:
        """Stop it if it still runs."""
        self._process.kill()
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()


def part(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.rush_parts", *arguments]


def measure(options: argparse.Namespace, shape: Shape, prepared: Facts) -> Facts:
    """Have some players play, then the others arrive; return the figures."""
    with ExitStack() as stack:
        playing = Part("play", {"ports": shape.tables, "players": prepared["playing"]})
        stack.callback(playing.end)
        job = {"ports": shape.ports, "tables": shape.tables, "seconds": options.seconds}
        job["thought"] = (0.0, 0.0) if options.bursts else THOUGHT
        crowds = []
        for number in range(CROWDS):
            newcomers = len(range(number, options.newcomers, CROWDS))
            own = {"number": number, "newcomers": newcomers, "returning": prepared["returning"][number::CROWDS]}
            crowds.append(Part("arrive", {**job, **own}))
            stack.callback(crowds[-1].end)
        time.sleep(SETTLING)
        quiet, costs = time.monotonic(), [shape.costs()]
        time.sleep(IDLE_SECONDS)
        costs.append(shape.costs())
        before = cpu_seconds()
        for crowd in crowds:
            crowd.go_on()
        found = together([crowd.found() for crowd in crowds])
        costs.append(shape.costs())
        after = cpu_seconds()
        playing.go_on()
        waits = playing.found()
    rush = found["begun"], found["ended"]
    lasted = rush[1] - rush[0]
    a_second = {name: (costs[1][name] - costs[0][name]) / IDLE_SECONDS for name in costs[0]}
    added = {name: costs[2][name] - costs[1][name] - a_second[name] * lasted for name in a_second}
    arrived = max(1, found["arrived"])
    used = sum(costs[2].values()) - sum(costs[1].values())
    others = (after - before - used) / lasted
    return {
        "newcomers": options.newcomers,
        "returning": options.returning,
        "playing": options.playing,
        "seconds": options.seconds,
        "lasted": lasted,
        "steps": {name: percentiles(times, 50, 95) for name, times in found["steps"].items()},
        "cpu": {name: max(0.0, seconds) * 1000 / arrived for name, seconds in added.items()},
        "cpu_used": used,
        "cores": max(0.1, (os.cpu_count() or 1) - others),
        "seated": percentiles([moment - rush[0] for moment in found["seated"]], 50, 95, 100),
        "firsts": percentiles(found["firsts"], 50, 95),
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


def together(found: list[Facts]) -> Facts:
    """Combine the results of all crowds."""
    steps: dict[str, list[float]] = {}
    for name, times in itertools.chain(*(one["steps"].items() for one in found)):
        steps.setdefault(name, []).extend(times)
    lists = {name: list(itertools.chain(*(one[name] for one in found))) for name in LISTS}
    refused: Counter[str] = sum((Counter(one["refused"]) for one in found), Counter())
    times = {"begun": min(one["begun"] for one in found), "ended": max(one["ended"] for one in found)}
    return {"steps": steps, "refused": refused, "arrived": sum(one["arrived"] for one in found), **times, **lists}


def moves(waits: list[tuple[float, float]], begun: float, ended: float) -> dict[str, float]:
    """p50, p95 and p99 in ms of the moves acknowledged between two moments, and how many there were a second."""
    within = [wait for at, wait in waits if begun <= at <= ended]
    return {**percentiles(within, 50, 95, 99), "rate": len(within) / (ended - begun)}


def cpu_seconds() -> float:
    """Return the CPU time of all processes of the machine."""
    line = Path("/proc/stat").read_text().splitlines()[0]
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(int, line.split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def percentiles(seconds: list[float], *wanted: int) -> dict[str, float]:
    """Return percentiles in ms by name, such as p95; 0 if there are no values."""
    ordered = sorted(seconds) or [0.0]
    last = len(ordered) - 1
    return {f"p{percent}": ordered[min(last, len(ordered) * percent // 100)] * 1000 for percent in wanted}


def report(facts: Facts, *, as_json: bool) -> int:
    """Print the figures, and return the exit code."""
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


def report_burst(facts: Facts) -> int:
    """Print a burst's figures beside the targets, and return the exit code."""
    seated, cores, moved = facts["seated"], facts["cores"], facts["moves"]
    needed, bound = facts["cpu_used"] / cores, CPU_AIM * facts["cpu_used"] / cores
    p95 = seated["p95"] / 1000
    print(f"{facts['newcomers']} newcomers in {facts['seconds']:g} s, {facts['playing']} at their tables:")
    print(f"  CPU of the servers {facts['cpu_used']:.1f} s, {cores:.2f} cores left by others: {needed:.1f} s")
    print("  CPU for each, ms:  ", ", ".join(f"{name} {ms:.1f}" for name, ms in facts["cpu"].items()))
    print(f"  seated after       p50 {seated['p50'] / 1000:.1f} s, all {seated['p100'] / 1000:.1f} s")
    print(f"  {facts['queued']} were queued, for p50 {facts['waits']['p50']:.1f} s, p95 {facts['waits']['p95']:.1f} s")
    print(f"  first response     p95 {facts['firsts']['p95'] / 1000:.2f} s")
    print(f"  moves before       p50 {moved['idle_p50']:.1f} ms, p95 {moved['idle_p95']:.1f} ms")
    print(f"  moves meanwhile    p50 {moved['rush_p50']:.1f} ms, p99 {moved['rush_p99']:.1f} ms")
    aims = (
        (f"95 % are seated after {p95:.1f} s, aim {bound:.1f} s ({CPU_AIM:g} times the CPU)", p95 < bound),
        (f"moves meanwhile, p95  {moved['rush_p95']:.1f} ms, aim {MOVES_MS:g} ms", moved["rush_p95"] < MOVES_MS),
        (f"refused or failed     {facts['refused']}, aim none", not facts["refused"]),
    )
    return judge(aims, facts)


def judge(aims: tuple[tuple[str, bool], ...], facts: Facts) -> int:
    """Print the aims and the reasons of failures; the exit code."""
    for text, reached in aims:
        print(f"  {text}", "ok" if reached else "MISSED")
    for reason, count in facts["reasons"].items():
        print(f"  {count} times {reason}")
    return 0 if all(reached for _, reached in aims) else 1


def show(facts: Facts) -> None:
    """Print the figures without targets."""
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
