"""Winnability study: many random deals, solved one by one (docs/winnability.md, "Method").

Deals are numbered and their seeds follow from the number, so a study can be resumed, and repeated deal by deal.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final

from games.rules import open_table
from games.solver.solver import Budget, GaveUp, Result, Solution, Unwinnable, solve
from games.solver.winnability_figures import Outcome, StudySummary

_OUTCOMES: Final[dict[type, Outcome]] = {Solution: "won", Unwinnable: "lost", GaveUp: "undecided"}
NICENESS: Final = 10
Options = Mapping[str, Any] | None


@dataclass(frozen=True)
class Judged:
    """Result of one deal: number, outcome, positions looked at, seconds, and tokens of the line (0 without one)."""

    number: int
    outcome: str
    nodes: int
    seconds: float
    tokens: int


@dataclass(frozen=True)
class Study:
    """Settings of a study: a variant, or a game with options, and ``nodes``, the most positions per deal."""

    name: str
    options: Options
    nodes: int

    @property
    def label(self) -> str:
        """The variant's name, with its options if any."""
        options = sorted((self.options or {}).items())
        return " ".join([self.name, *(f"{name}={json.dumps(value).strip(chr(34))}" for name, value in options)])


def seed_of(number: int) -> bytes:
    """Return the 32-byte seed of a study's deal. It is public, and never used for play."""
    return sha256(b"talon winnability %d" % number).digest()


def judge(study: Study, number: int) -> Judged:
    """Solve one deal. The rules have verified the line, if one is found."""
    table = open_table(study.name, seed_of(number), study.options)
    result: Result = solve(table, Budget(nodes=study.nodes))
    tokens = len(result.tokens) if isinstance(result, Solution) else 0
    return Judged(number, _OUTCOMES[type(result)], result.effort.nodes, round(result.effort.seconds, 4), tokens)


def judge_all(study: Study, numbers: Sequence[int], processes: int) -> Iterator[Judged]:
    """Judge deals in ``processes`` low-priority processes; yield each as soon as it is done, in any order."""
    if processes == 1:
        yield from (judge(study, number) for number in numbers)
        return
    remaining = iter(numbers)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), os.nice, (NICENESS,))
    try:
        running: set[Future[Judged]] = {
            pool.submit(judge, study, number) for number in islice(remaining, 3 * processes)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(judge, study, number) for number in islice(remaining, len(done))}
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(cancel_futures=True)


class State:
    """The deals judged so far, stored in a file with one JSON line each. A line cut short by a crash is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.judged: dict[int, Judged] = {}
        whole = 0
        if path.exists():
            for line in path.read_bytes().splitlines(keepends=True):
                if not line.endswith(b"\n"):
                    break
                deal = Judged(**json.loads(line))
                self.judged[deal.number] = deal
                whole += len(line)
            os.truncate(path, whole)

    def add(self, deal: Judged) -> None:
        """Write a deal to the file at once."""
        self.judged[deal.number] = deal
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(deal)) + "\n")


def summary(study: Study, deals: Sequence[Judged]) -> StudySummary:
    """Count a study's outcomes, and take the medians of line length and of positions looked at."""
    count = Counter(deal.outcome for deal in deals)
    return StudySummary(
        variant=study.label,
        deals=len(deals),
        won=count["won"],
        lost=count["lost"],
        undecided=count["undecided"],
        line=median([deal.tokens for deal in deals if deal.tokens] or [0]),
        nodes=median([deal.nodes for deal in deals] or [0]),
        budget=study.nodes,
    )
