"""Load test: 2,000 human-paced players on a table process, and 20,000 page views in five minutes on a web process.

`DATABASE_URL=postgres://… python -m benchmarks.crowd`; the exit code is 1 if a target is missed. It takes some eight
minutes. Nothing may fail, the memory of both processes must not grow, and moves must be fast compared with the same
moves without page views, which are measured first in the same run. The machine should be otherwise idle; its load is
printed.

It uses its own database on that server, which it drops at the end, and its own Redis. There are a table process and a
web process with collected files, a verdict worker, one process with all players and one that views pages. The clients
also do the proxy's work: sockets go to the tables, everything else to the web process.

Players are in the middle of their games. They move every two to six seconds at random, undo moves, give up, and start
other games with the forms; each sends the pings of the site's client and has its own address. Times are from sending a
move to its answer, on the clock of the players' process, whose event-loop lag is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import psycopg
import redis

from benchmarks.databases import own_database, server_url
from benchmarks.play_parts import cpu_seconds, resident_kib
from benchmarks.processes import is_ready, own_redis
from benchmarks.races import percentile
from benchmarks.references import amount, announce, row
from deploy.procfile import commands
from deploy.servers import Redis, eventually, free_port

SOCKETS: Final = 2_000
SECONDS: Final = 300.0
VIEWS: Final = 20_000
#: Servers by their names in the Procfile; the web process is ready only once there are tables.
SERVERS: Final = ("tables", "web")
READY_WITHIN: Final = 60.0
#: Seconds of play before the page views.
ALONE_SECONDS: Final = 60.0
SAMPLE_SECONDS: Final = 10.0

#: p99 of moves during page views, relative to that without them in the same run.
P99_AIM: Final = 3.0
GROWTH_AIM: Final = 0.05
#: Final seconds in which memory must not grow; in a shorter run, the last three fifths.
GROWTH_SECONDS: Final = 180.0
#: Number of samples averaged at both ends.
ENDS: Final = 3

FILES: Final = 8192
"""Open files per process: each socket is one."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=SOCKETS, help="players, each with a socket (%(default)s)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of play with page views (%(default)s)")
    parser.add_argument("--views", type=int, default=VIEWS, help="page views in that time (%(default)s)")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    if not Redis.is_installed():
        print("skipped: no redis-server is installed")
        return 0
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its processes are ended
    with ExitStack() as stack:
        var = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (var / "metrics").mkdir()
        environment = {
            **os.environ,
            "DATABASE_URL": stack.enter_context(own_database(url)),
            "REDIS_URL": stack.enter_context(own_redis()),
            "VAR_DIR": str(var),
            "PROMETHEUS_MULTIPROC_DIR": str(var / "metrics"),
            "TABLES_ELSEWHERE": "1",
            "COLLECTED_STATIC": "1",
            "SEALED_STOCK": "0",
            "LOG_FORMAT": "json",
        }
        announce(environment, "housekeeping, certifying and analysis workers", "beat")
        return Crowd(options, environment, var, stack).run()


class Crowd:
    """A run: its processes, and its results."""

    def __init__(self, options: argparse.Namespace, environment: dict[str, str], var: Path, stack: ExitStack) -> None:
        self.options, self.environment, self.var, self.stack = options, environment, var, stack
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.errors, self.told = 0, list[str]()
        self.moves: list[int] = []
        self.views: list[int] = []
        self.late: list[int] = []
        self.counts: dict[str, int] = {}
        self.memory: dict[str, list[tuple[float, float]]] = {}
        """By server: seconds since the page views began, and resident MB."""

    def run(self) -> int:
        """Prepare, serve, play, print, and return the exit code."""
        options = self.options
        print(f"preparing {options.sockets:,} players ...", flush=True)
        made = subprocess.check_output(part("prepare", str(options.sockets)), env=self.environment)
        ports = {name: self.serve(name) for name in SERVERS}
        self.start("worker", program("worker"))
        job = {**json.loads(made), **ports, "views": options.views / options.seconds}
        print(f"load average {load_average()}; players arrive ...", flush=True)
        self.load("play", job)
        alone, busy = self.phase("alone", min(ALONE_SECONDS, options.seconds))
        print(f"CPU: {busy}", flush=True)
        self.load("look", job)
        proportional = [proportional_mb(one.pid) for one in self.servers().values()]
        moves, busy = self.phase("beside", options.seconds)
        for (name, process), before in zip(self.servers().items(), proportional, strict=True):
            print(
                f"{name}: proportional set {before:.0f} MB at the start, {proportional_mb(process.pid):.0f} at the end"
            )
        self.stop_loads()
        self.count_faults()
        return self.report(alone, moves, busy)

    def serve(self, name: str) -> int:
        """Start one of the servers, wait until it is ready, and return its port."""
        port = free_port()
        self.start(name, [*program(name), "--port", str(port)])
        eventually(lambda: is_ready(port), within=READY_WITHIN)
        return port

    def load(self, what: str, job: dict[str, Any]) -> None:
        """Start a load process, and wait until it has begun."""
        self.start(what, part(what))
        self.tell(what, json.dumps(job))

    def start(self, name: str, command: list[str]) -> subprocess.Popen[str]:
        """Start a process that ends with the run and logs to a file; a worker's whole output is logged.

        Each has its own session, like a service, because Linux divides CPU time between sessions.
        """
        log = self.stack.enter_context((self.var / f"{name}.log").open("w"))
        said = log if name == "worker" else subprocess.PIPE
        process = subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        self.processes[name] = process
        self.stack.callback(end, process)
        return process

    def servers(self) -> dict[str, subprocess.Popen[str]]:
        """Return the processes whose memory and faults are checked."""
        return {name: self.processes[name] for name in SERVERS}

    def phase(self, name: str, seconds: float) -> tuple[list[int], str]:
        """Let all players play for this long, and print a line every ten seconds.

        Returns the sorted times of moves, and the CPU usage as text.
        """
        self.ask()
        self.moves, self.views, self.late, self.counts = [], [], [], {}
        used, begun = self.cpu(), time.monotonic()
        while (passed := time.monotonic() - begun) < seconds:
            time.sleep(min(SAMPLE_SECONDS, seconds - passed))
            self.sample(name, time.monotonic() - begun)
        return sorted(self.moves), shares(used, self.cpu(), time.monotonic() - begun)

    def sample(self, phase: str, at: float) -> None:
        """Collect the results of the load processes, read the memory, and print a line."""
        moves, views = len(self.moves), len(self.views)
        self.ask()
        sizes = []
        for name, process in self.servers().items():
            sizes.append(resident_kib(process.pid) / 1024)
            if phase == "beside":
                self.memory.setdefault(name, []).append((at, sizes[-1]))
        pages = (
            f"{len(self.views) - views:5,} pages {quantiles(self.views[views:])}   " if "look" in self.processes else ""
        )
        print(
            f"{phase:<7}{at:4.0f} s   {len(self.moves) - moves:6,} moves {quantiles(self.moves[moves:])}   {pages}"
            f"{self.errors} errors   {' '.join(f'{size:.1f}' for size in sizes)} MB",
            flush=True,
        )

    def ask(self) -> None:
        """Ask the load processes for their results since the last time."""
        for what in ("play", "look"):
            if what in self.processes:
                self.tell(what, "")

    def tell(self, what: str, line: str) -> None:
        """Write a line to a load process, and add its answer."""
        process = self.processes[what]
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        self.take(what, process.stdout.readline())

    def take(self, what: str, line: str) -> None:
        """Add results of a load process."""
        if not line:
            raise SystemExit(f"the process that is to {what} has ended: {self.log_of(what)[-2000:]}")
        seen = json.loads(line)
        (self.moves if what == "play" else self.views).extend(seen["times"])
        self.late += seen["late"] if what == "play" else []
        for name, number in seen["counts"].items():
            self.counts[name] = self.counts.get(name, 0) + number
        self.fault(seen["errors"], seen["told"])

    def fault(self, number: int, told: Sequence[str]) -> None:
        """Count errors, and print the first ones."""
        for text in told[: max(0, 20 - len(self.told))]:
            print(f"error: {text}", flush=True)
        self.errors += number
        self.told += told

    def stop_loads(self) -> None:
        """Stop the load processes; the servers keep running."""
        for what in ("play", "look"):
            end(self.processes[what])

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds used so far by each process of the run, by the servers, and by the whole machine."""
        used = {name: cpu_seconds(process.pid) for name, process in self.processes.items()}
        used["worker"] += sum(map(cpu_seconds, children(self.processes["worker"].pid)))
        with redis.Redis.from_url(self.environment["REDIS_URL"]) as client:
            used["Redis"] = cpu_seconds(int(client.info("server")["process_id"]))
        used["PostgreSQL"] = backends_cpu_seconds(self.environment["DATABASE_URL"])
        return used | {"all of the machine": machine_cpu_seconds()}

    def log_of(self, name: str) -> str:
        return (self.var / f"{name}.log").read_text()

    def count_faults(self) -> None:
        """Count the errors in the servers' logs."""
        for name in SERVERS:
            lines = [line for line in self.log_of(name).splitlines() if is_fault(line)]
            self.fault(len(lines), [f"{name}: {line[:300]}" for line in lines])

    def report(self, alone: list[int], moves: list[int], busy: str) -> int:
        """Print the figures and whether the targets are met, and return the exit code."""
        views, late = self.views, self.late
        seconds = self.options.seconds
        print(f"moves without page views   {len(alone):8,}   {quantiles(alone)}")
        print(f"moves with page views      {len(moves):8,}   {quantiles(moves)}   {len(moves) / seconds:,.0f}/s")
        print(f"pages                      {len(views):8,}   {quantiles(views)}   {len(views) / seconds:,.0f}/s")
        print("counts: " + ", ".join(f"{number:,} {what}" for what, number in sorted(self.counts.items())))
        print(f"the players' event loop    lag {quantiles(late)}")
        print(f"CPU: {busy}")
        print(f"load average {load_average()}")
        p99 = percentile(moves, 99) / 1000
        window = min(GROWTH_SECONDS, seconds * 0.6)
        grown = {name: growth(samples, window) for name, samples in self.memory.items()}
        reached = [
            amount("errors", self.errors, "errors", at_most=0),
            *(
                amount(f"memory of {name}, last {window:.0f} s", share * 100, "%", at_most=GROWTH_AIM * 100)
                for name, share in grown.items()
            ),
            row("p99 of a move with page views", p99, percentile(alone, 99) / 1000, "ms", at_most=P99_AIM),
        ]
        return int(not all(reached))


def shares(before: dict[str, float], after: dict[str, float], seconds: float) -> str:
    """Return the CPU time between two readings, as shares of one core."""
    return ", ".join(f"{name} {(after[name] - used) / seconds:.0%}" for name, used in before.items())


def program(name: str) -> list[str]:
    """Return the command of a process from the Procfile."""
    first, *arguments = commands()[name]
    return [str(Path(sys.executable).with_name(first)), *arguments]


def part(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.crowd_parts", *arguments]


def end(process: subprocess.Popen[str]) -> None:
    """Stop a process if it still runs."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def quantiles(times: Sequence[int]) -> str:
    """Format the quantiles of times in microseconds."""
    ordered = sorted(times) or [0]
    return f"p50 {percentile(ordered, 50) / 1000:5.1f} ms p99 {percentile(ordered, 99) / 1000:6.1f} ms"


def growth(samples: Sequence[tuple[float, float]], window: float) -> float:
    """Return the relative growth over the last `window` seconds of (second, size), with a few averaged at both ends."""
    last = samples[-1][0]
    sizes = [size for at, size in samples if at >= last - window]
    few = min(ENDS, max(1, len(sizes) // 2))
    return statistics.fmean(sizes[-few:]) / statistics.fmean(sizes[:few]) - 1


def is_fault(line: str) -> bool:
    """Return whether a log line reports an error or is not in the log format."""
    try:
        return json.loads(line)["level"] in {"error", "critical"}
    except (ValueError, KeyError):
        return True


def proportional_mb(pid: int) -> float:
    """Return the proportional set size of a process, in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def children(pid: int) -> list[int]:
    """Return the child processes."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def backends_cpu_seconds(url: str) -> float:
    """Return the CPU time of PostgreSQL's processes for the connections of a database; 0 if on another machine."""
    with psycopg.connect(url) as asking:
        rows = asking.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
    return sum(cpu_seconds(pid) for (pid,) in rows if name_of(pid) == "postgres")


def name_of(pid: int) -> str:
    """Return the name of a process on this machine, or an empty text."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def machine_cpu_seconds() -> float:
    """Return the CPU time used by all cores so far."""
    user, nice, system, _, _, irq, soft, *_ = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def load_average() -> str:
    return " ".join(f"{one:.2f}" for one in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main())
