"""How often a game can be won: many random deals, solved one by one, with 95 % intervals (docs/winnability.md,
"Method").

Deals are numbered and their seeds follow from the number, so a study can be resumed, and repeated deal by deal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final

from games.rules import open_table
from games.solver.api import Budget, GaveUp, Result, Solution, Unwinnable, solve

OUTCOMES: Final = {Solution: "won", Unwinnable: "lost", GaveUp: "undecided"}
NICENESS: Final = 10
Options = Mapping[str, Any] | None


@dataclass(frozen=True)
class Judged:
    """One deal: its number, outcome, positions looked at, seconds, and the tokens of its line (0 if there is none)."""

    number: int
    outcome: str
    nodes: int
    seconds: float
    tokens: int


@dataclass(frozen=True)
class Study:
    """What is studied: a variant, or a game with options, and ``nodes``, the most positions to look at in each deal."""

    name: str
    options: Options
    nodes: int

    @property
    def label(self) -> str:
        """The variant's name, with its options if any."""
        chosen = sorted((self.options or {}).items())
        return " ".join([self.name, *(f"{name}={json.dumps(value).strip(chr(34))}" for name, value in chosen)])


def seed_of(number: int) -> bytes:
    """The 32-byte seed of a study's deal. It is public, and never used for play."""
    return sha256(b"talon winnability %d" % number).digest()


def judge(study: Study, number: int) -> Judged:
    """Solve one deal. A line that is found has been replayed by the rules."""
    table = open_table(study.name, seed_of(number), study.options)
    result: Result = solve(table, Budget(nodes=study.nodes))
    tokens = len(result.tokens) if isinstance(result, Solution) else 0
    return Judged(number, OUTCOMES[type(result)], result.effort.nodes, round(result.effort.seconds, 4), tokens)


def judge_all(study: Study, numbers: Sequence[int], processes: int) -> Iterator[Judged]:
    """Judge deals in ``processes`` low-priority processes; yields each as soon as it is done, in any order."""
    if processes == 1:
        yield from (judge(study, number) for number in numbers)
        return
    left = iter(numbers)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _step_back)
    try:
        running: set[Future[Judged]] = {pool.submit(judge, study, number) for number in islice(left, 3 * processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(judge, study, number) for number in islice(left, len(done))}
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(cancel_futures=True)


def _step_back() -> None:
    os.nice(NICENESS)


class State:
    """The deals judged so far, kept in a file with one JSON line each. A line cut short by a crash is dropped."""

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


def interval(count: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % score interval for ``count`` out of ``total``; both ends lie between 0 and 1."""
    if not total:
        return 0.0, 1.0
    z = 1.959964
    share = count / total
    middle = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True)
class Summary:
    """A study's figures; ``line`` (tokens) and ``nodes`` (positions) are medians."""

    label: str
    deals: int
    won: int
    lost: int
    undecided: int
    line: float
    nodes: float


def summary(study: Study, deals: Sequence[Judged]) -> Summary:
    """Count a study's outcomes, and take the medians of line length and of positions looked at."""
    count = {outcome: sum(deal.outcome == outcome for deal in deals) for outcome in OUTCOMES.values()}
    return Summary(
        label=study.label,
        deals=len(deals),
        won=count["won"],
        lost=count["lost"],
        undecided=count["undecided"],
        line=median([deal.tokens for deal in deals if deal.tokens] or [0]),
        nodes=median([deal.nodes for deal in deals] or [0]),
    )


def _percent(count: int, total: int) -> str:
    low, high = interval(count, total)
    return f"{100 * count / max(1, total):.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def as_table(summaries: Sequence[Summary]) -> str:
    """The summaries as a Markdown table."""
    lines = [
        "| variant | deals | won | lost | undecided | line | positions |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for found in summaries:
        shares = " | ".join(_percent(count, found.deals) for count in (found.won, found.lost, found.undecided))
        lines.append(f"| {found.label} | {found.deals:,} | {shares} | {found.line:.0f} | {found.nodes:,.0f} |")
    return "\n".join(lines) + "\n"


def as_plot(summaries: Sequence[Summary]) -> str:
    """The summaries as an SVG: a bar for each variant (won, undecided, lost), with the interval of the wins."""
    row, left, width = 34, 130, 520
    height = row * len(summaries) + 58
    box = f"{left + width + 30} {height}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for place, found in enumerate(summaries):
        y = 10 + row * place
        parts.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{found.label}</text>')
        x = float(left)
        for count, colour in ((found.won, "#2f7d4f"), (found.undecided, "#c9c9c9"), (found.lost, "#9c3d3d")):
            share = width * count / max(1, found.deals)
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{share:.1f}" height="24" fill="{colour}"/>')
            x += share
        low, high = (left + width * end for end in interval(found.won, found.deals))
        parts.append(
            f'<path d="M{low:.1f} {y + 12}H{high:.1f}M{low:.1f} {y + 7}v10M{high:.1f} {y + 7}v10" stroke="#000"/>'
        )
    base = 14 + row * len(summaries)
    for percent in range(0, 101, 20):
        x = left + width * percent / 100
        parts.append(f'<text x="{x:.0f}" y="{base + 12}" text-anchor="middle">{percent} %</text>')
    legend = (("#2f7d4f", "won"), ("#c9c9c9", "undecided"), ("#9c3d3d", "proved lost"))
    for place, (colour, word) in enumerate(legend):
        x = left + 130 * place
        parts.append(f'<rect x="{x}" y="{base + 22}" width="14" height="14" fill="{colour}"/>')
        parts.append(f'<text x="{x + 20}" y="{base + 34}">{word}</text>')
    return "\n".join([*parts, "</svg>", ""])
