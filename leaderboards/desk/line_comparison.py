"""Presentation of two aligned lines of play."""

from __future__ import annotations

from dataclasses import dataclass

from games.fairplay.alignment import Cell, align
from games.models import Attempt
from games.rules import Record
from leaderboards.desk.gap_chart import seconds


@dataclass(frozen=True, slots=True)
class ShownCell:
    """Token with the time before it and the bits of its decision, in words."""

    cell: Cell
    gap: str
    bits: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Two attempts at one deal, aligned: pairs of tokens, and whether they are the same."""

    left: Attempt
    right: Attempt
    rows: list[tuple[ShownCell | None, ShownCell | None, bool]]
    same: int
    common: int
    likeness: int
    common_bits: str
    bits: tuple[str, str]


def lines(left: Attempt, right: Attempt, records: tuple[Record, Record]) -> Lines:
    """Build the page that compares two attempts whose records replay."""
    found = align(*records)
    return Lines(
        left,
        right,
        [(_shown(row.left), _shown(row.right), row.same) for row in found.rows],
        sum(row.same for row in found.rows),
        sum(row.left is not None and row.left.common for row in found.rows),
        round(found.likeness * 100),
        f"{found.common_bits:.1f}",
        (f"{found.bits[0]:.1f}", f"{found.bits[1]:.1f}"),
    )


def _shown(cell: Cell | None) -> ShownCell | None:
    if cell is None:
        return None
    return ShownCell(cell, seconds(cell.ms), f"{cell.bits:.1f}" if cell.bits else "")
