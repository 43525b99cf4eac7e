"""Fault injection for the soak, by a plan that follows from the seed alone."""

from __future__ import annotations

import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import redis

from tests.services.stack import Stack

#: Kinds of faults; `Breaker` repairs each after a pause.
KINDS = (
    "web",
    "tables",
    "worker",
    "beat",
    "redis emptied",
    "redis stopped",
    "redis read-only",
    "database connections cut",
    "database silent",
    "database crashed",
)
#: Seconds after a server is back in which clients may still wait for it.
AFTERMATH = 10.0
CALM = 1.5  # s without a blow at the beginning and the end
EVERY = 4.0  # average s between two blows; less if all kinds would not fit
LONGEST_PAUSE = 2.5


@dataclass(frozen=True)
class Blow:
    """A fault: seconds after the start, its kind, and how long it lasts. `index` selects one process of a pair."""

    at: float
    kind: str
    index: int
    pause: float


def plan(seed: int, seconds: float) -> list[Blow]:
    """Return blows for ``seconds`` seconds, each kind at least once."""
    choose = random.Random(f"blows {seed}")
    number = max(len(KINDS), round((seconds - 2 * CALM) / EVERY))
    kinds = choose.sample(KINDS, len(KINDS)) + choose.choices(KINDS, k=number - len(KINDS))
    times = sorted(choose.uniform(CALM, max(CALM, seconds - CALM)) for _ in kinds)
    return [
        Blow(at, kind, choose.randrange(2), choose.uniform(0, LONGEST_PAUSE))
        for at, kind in zip(times, kinds, strict=True)
    ]


class Breaker(threading.Thread):
    """Thread that deals the blows of a plan in sequence; a blow due during another one's pause comes after it."""

    def __init__(self, stack: Stack, blows: list[Blow]) -> None:
        super().__init__(daemon=True)
        self._stack, self._blows = stack, blows
        self.dealt: Counter[str] = Counter()
        self.failed: Exception | None = None
        self._fair_at = 0.0

    @property
    def is_fair(self) -> bool:
        """True if no server that players wait for has been down lately."""
        return time.monotonic() > self._fair_at

    def run(self) -> None:
        start = time.monotonic()
        try:
            for blow in self._blows:
                time.sleep(max(0.0, start + blow.at - time.monotonic()))
                self._fair_at = math.inf
                mend = self._deal(blow)
                self.dealt[blow.kind] += 1
                time.sleep(blow.pause)
                mend()
                self._fair_at = time.monotonic() + AFTERMATH
        except Exception as error:  # noqa: BLE001 - the soak is told
            self.failed = error

    @staticmethod
    def _promote(port: int) -> None:
        with redis.Redis(port=port) as client:
            client.replicaof("NO", "ONE")

    def _deal(self, blow: Blow) -> Callable[[], object]:
        stack = self._stack
        match blow.kind:
            case "web" | "tables":
                pair = stack.webs if blow.kind == "web" else stack.tables
                pair.kill(blow.index)
                return lambda: pair.start(blow.index)
            case "worker":
                stack.kill_workers()
                return lambda: stack.start_worker(children=2)
            case "beat":
                stack.kill_beat()
                return stack.start_beat
            case "redis emptied":
                stack.redis.empty()
            case "redis stopped":
                stack.redis.stop()
                return stack.redis.start
            case "redis read-only":
                with redis.Redis(port=stack.redis.port) as client:
                    client.replicaof("127.0.0.1", 1)
                return lambda: self._promote(stack.redis.port)
            case "database silent":
                stack.postgres.freeze()
                return stack.postgres.thaw
            case "database connections cut":
                stack.cut_connections()
            case _:
                stack.postgres.stop()
                return stack.postgres.start
        return lambda: None
