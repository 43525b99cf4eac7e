"""Validated, durable moves of one ASGI process, compared with an echo consumer that commits a row per message.

`DATABASE_URL=postgres://… python -m benchmarks.play`; the exit code is 1 if a target is missed. It uses its own
database on that server, and drops it at the end. Server and load generator are separate processes; each client sends
its next message when the last one is answered.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.databases import own_database, server_url
from benchmarks.references import amount, announce, row

PLAYERS = 500
SECONDS = 6.0
ROUNDS = 3
RATE_AIM = 1.0
P99_AIM = 1.5
IDLE_AIM_KIB = 40.0
DISPATCHED = "echo, own dispatch"
PLAIN = "echo, Channels' dispatch"
DURABLE = "echo, durable INSERT"
PLAY = "durable moves"
KINDS = {PLAIN: "plain", DISPATCHED: "echo", DURABLE: "durable", PLAY: "play"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=PLAYERS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--profile", action="store_true", help="write the server's profile to play.prof")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    with own_database(url) as own, tempfile.TemporaryDirectory() as var:
        announce(os.environ, "certified deals", "workers and beat")
        return measure(options, {**os.environ, "DATABASE_URL": own, "VAR_DIR": var})


def measure(options: argparse.Namespace, environment: dict[str, str]) -> int:
    def part(*arguments: str) -> list[str]:
        return [sys.executable, "-m", "benchmarks.play_parts", *arguments]

    players = json.loads(subprocess.check_output(part("players", str(options.players)), env=environment))
    server = subprocess.Popen(
        part("serve", *(["--profile"] if options.profile else [])), env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        load = Load(port, server.pid, players)
        return load.report(options.rounds, options.seconds)
    finally:
        server.terminate()
        server.wait(20)


class Load:
    """The load generator: a new process for each measurement, which starts clean."""

    def __init__(self, port: int, pid: int, players: list[Any]) -> None:
        self.port, self.pid, self.players = port, pid, players

    def run(self, what: str, seconds: float) -> dict[str, Any]:
        job = {"what": what, "seconds": seconds, "port": self.port, "pid": self.pid, "players": self.players}
        command = [sys.executable, "-m", "benchmarks.play_parts", "load"]
        answer = subprocess.run(command, input=json.dumps(job), stdout=subprocess.PIPE, text=True, check=True)
        result: dict[str, Any] = json.loads(answer.stdout)
        return result

    def in_turns(self, kinds: list[str], rounds: int, seconds: float) -> list[dict[str, Any]]:
        """Run each kind in turns; return the medians of the figures of each."""
        results: list[list[dict[str, Any]]] = [[] for _ in kinds]
        for _ in range(rounds):
            for what, found in zip(kinds, results, strict=True):
                found.append(self.run(what, seconds))
        return [{key: statistics.median(one[key] for one in found) for key in found[0]} for found in results]

    def report(self, rounds: int, seconds: float) -> int:
        idle = self.run("idle", 1.0)["kib"]
        best = dict(zip(KINDS, self.in_turns([*KINDS.values()], rounds, seconds), strict=True))
        for what, figures in best.items():
            print(
                f"{what:<26} {figures['rate']:>8,.0f}/s   p50 {figures['p50']:6.1f} ms   p99 {figures['p99']:6.1f} ms"
                f"   server CPU {figures['cpu']:4.0%}, {figures['cpu'] / figures['rate'] * 1e6:4.0f} µs each"
            )
        reached = [
            row("moves beside durable echoes", best[PLAY]["rate"], best[DURABLE]["rate"], "/s", at_least=RATE_AIM),
            row("p99 of a move beside theirs", best[PLAY]["p99"], best[DURABLE]["p99"], "ms", at_most=P99_AIM),
            amount("idle socket", idle, "KiB", at_most=IDLE_AIM_KIB),
        ]
        return int(not all(reached))


if __name__ == "__main__":
    sys.exit(main())
