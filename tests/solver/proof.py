"""Proof run of the solver: solve many deals of each variant and replay every line.

Run it with `python -m tests.solver.proof`, or `make proof`. The test of random deals runs with SOLVER_DEALS, one
variant at a time, and its counts become the variant's row in docs/winnability.md, "The tests, with many deals". A
variant whose test fails keeps its row.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from games.rules import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "winnability.md"
TEST = "tests/solver/test_solutions.py::test_solutions_of_random_deals_replay"
BEGIN, END = "<!-- proof -->\n", "<!-- end of the proof -->\n"
HEAD = """\
| variant | deals | won | lost | undecided | CPU seconds | run |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
"""


@dataclass(frozen=True)
class Row:
    """Counts of the test for a variant, and the day of the run."""

    variant: str
    deals: int
    won: int
    lost: int
    undecided: int
    seconds: int
    day: str

    def __str__(self) -> str:
        variant, *counts, day = astuple(self)
        return f"| {' | '.join([variant, *(f'{count:,}' for count in counts), day])} |\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the test; exit status 1 when it failed for any variant."""
    parser = argparse.ArgumentParser(prog="python -m tests.solver.proof", description=__doc__.splitlines()[0])
    parser.add_argument("variants", nargs="*", help="all without any")
    parser.add_argument("--deals", type=int, default=1000, help="of each variant (default: %(default)s)")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.variants) - set(CATALOGUE):
        parser.error(f"no such variant: {', '.join(sorted(unknown))}")
    failed = False
    for variant in asked.variants or CATALOGUE:
        row = proved(variant, asked.deals)
        failed |= row is None
        if row is not None:
            PAGE.write_text(with_row(PAGE.read_text(), row))
            print(row, end="", flush=True)
    return int(failed)


def proved(variant: str, deals: int) -> Row | None:
    """Run the test and return the variant's row, or None when the test fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--timeout=0",
            "-ojunit_family=xunit1",
            f"--junitxml={report}",
            f"{TEST}[{variant}]",
        ]
        if subprocess.run(command, cwd=ROOT, env={**os.environ, "SOLVER_DEALS": str(deals)}, check=False).returncode:
            return None
        return row_of(variant, properties(report.read_text()))


def properties(report: str) -> dict[str, int]:
    """Return the properties that the one test of a JUnit report has recorded."""
    return {found.attrib["name"]: int(found.attrib["value"]) for found in ET.fromstring(report).iter("property")}


def row_of(variant: str, counted: Mapping[str, int]) -> Row:
    won, lost, undecided = counted["won"], counted["lost"], counted["undecided"]
    day = datetime.now(UTC).date().isoformat()
    return Row(variant, won + lost + undecided, won, lost, undecided, counted["seconds"], day)


def with_row(page: str, row: Row) -> str:
    """Return the page with this row in its variant's place, in catalogue order."""
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no place for the rows")
    rows = {line.split()[1]: f"{line}\n" for line in table.removeprefix(HEAD).splitlines()}
    rows[row.variant] = str(row)
    return "".join([before, BEGIN, HEAD, *(rows[name] for name in CATALOGUE if name in rows), END, after])


if __name__ == "__main__":
    sys.exit(main())
