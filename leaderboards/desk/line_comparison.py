"""Presentation of two aligned lines of play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from games.fairplay.alignment import AlignedPair, Alignment, Cell, align
from games.models import Attempt
from games.rules import Record
from leaderboards.desk.gap_chart import seconds
from leaderboards.desk.review_queue import places_of
from leaderboards.desk.view_models import Facts


@dataclass(frozen=True, slots=True)
class ShownCell:
    """Token with its time and the information it decided."""

    n: int
    token: str
    gap: str
    undone: bool
    common: bool
    bits: str

    @classmethod
    def of(cls, cell: Cell | None) -> Self | None:
        """Build the display form of a cell, if there is one."""
        if cell is None:
            return None
        bits = f"{cell.bits:.1f}" if cell.bits else ""
        return cls(cell.n, cell.token, seconds(cell.ms), cell.undone, cell.common, bits)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """Pair of aligned tokens."""

    left: ShownCell | None
    right: ShownCell | None
    same: bool

    @classmethod
    def of(cls, row: AlignedPair) -> Self:
        """Build the display form of a row."""
        return cls(ShownCell.of(row.left), ShownCell.of(row.right), row.same)


@dataclass(frozen=True, slots=True)
class Lines:
    """Two attempts at one deal, aligned."""

    left: Facts
    right: Facts
    rows: list[ShownRow]
    same: int
    common: int
    likeness: int
    common_bits: str
    bits: tuple[str, str]


def lines(left: Attempt, right: Attempt, records: tuple[Record, Record]) -> Lines:
    """Build the page that compares two attempts whose records replay."""
    found: Alignment = align(*records)
    common = sum(row.left is not None and row.left.common for row in found.rows)
    places = places_of([left, right])
    return Lines(
        Facts.of(left, places.get(left.pk)),
        Facts.of(right, places.get(right.pk)),
        [ShownRow.of(row) for row in found.rows],
        sum(row.same for row in found.rows),
        common,
        round(found.likeness * 100),
        f"{found.common_bits:.1f}",
        (f"{found.bits[0]:.1f}", f"{found.bits[1]:.1f}"),
    )
