"""Winnability figures of each variant, as found by the study.

They are stored in `winnability.csv` beside this module, written by `manage.py winnability --keep`. The page
`/winnability/` and its download are made from that file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from math import sqrt
from pathlib import Path
from typing import Final, Literal

from games.rules import CATALOGUE

FILE: Final = Path(__file__).with_name("winnability.csv")

Outcome = Literal["won", "undecided", "lost"]
#: In drawing order: the undecided deals lie between those won and lost.
OUTCOMES: Final[tuple[Outcome, ...]] = ("won", "undecided", "lost")


def interval(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval for ``count`` out of ``total``; both ends lie between 0 and 1."""
    if not total:
        return 0.0, 1.0
    z = 1.959964
    share = count / total
    middle = share + z * z / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of deals and the ends of its 95 % interval, all from 0 to 1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StudySummary:
    """Figures of a study. ``line`` (tokens of a line) and ``nodes`` (positions looked at) are medians; ``budget`` is
    the most positions allowed for a deal.
    """

    variant: str
    deals: int
    won: int
    lost: int
    undecided: int
    line: float
    nodes: float
    budget: int

    def share(self, *outcomes: Outcome) -> Share:
        """Return the share of deals with one of these outcomes."""
        count = sum(getattr(self, outcome) for outcome in outcomes)
        return Share(count / max(1, self.deals), *interval(count, self.deals))

    def stretches(self) -> Iterator[tuple[Outcome, float, float]]:
        """Yield the segments of a bar of length 1: each outcome with its start and length."""
        begin = 0.0
        for outcome in OUTCOMES:
            length = self.share(outcome).value
            yield outcome, begin, length
            begin += length


def read() -> list[StudySummary]:
    """Read the stored figures, in catalogue order.

    :raises ValueError: when a row does not count all its deals, which no study writes.
    """
    with FILE.open(newline="") as stream:
        rows = [_row(row) for row in csv.DictReader(stream)]
    if faulty := [row.variant for row in rows if row.won + row.lost + row.undecided != row.deals]:
        raise ValueError(f"{FILE.name}: outcomes and deals differ: {', '.join(faulty)}")
    return rows


def write(summaries: Sequence[StudySummary]) -> None:
    """Replace the stored figures."""
    with FILE.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(StudySummary)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) | {"line": f"{row.line:g}", "nodes": f"{row.nodes:.0f}"} for row in summaries)


def renewed(stored: Sequence[StudySummary], updated: Sequence[StudySummary]) -> list[StudySummary]:
    """Return the stored figures, updated with those just found, in catalogue order."""
    by_name = {row.variant: row for row in (*stored, *updated)}
    return [by_name[name] for name in CATALOGUE if name in by_name]


def _row(row: dict[str, str]) -> StudySummary:
    counts = {name: int(row[name]) for name in ("deals", "won", "lost", "undecided", "budget")}
    return StudySummary(row["variant"], line=float(row["line"]), nodes=float(row["nodes"]), **counts)


def as_table(summaries: Sequence[StudySummary]) -> str:
    """Return the summaries as a Markdown table."""
    lines = [
        "| variant | deals | won | lost | undecided | line | positions | allowed |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in summaries:
        shares = " | ".join(_percent(row.share(outcome)) for outcome in ("won", "lost", "undecided"))
        counted = f"{row.line:.0f} | {row.nodes:,.0f} | {row.budget:,}"
        lines.append(f"| {row.variant} | {row.deals:,} | {shares} | {counted} |")
    return "\n".join(lines) + "\n"


def _percent(share: Share) -> str:
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f}–{100 * share.high:.1f})"
