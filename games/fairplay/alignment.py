"""Side-by-side alignment of two lines at one deal, for staff to compare.

Both lines keep their order. Equal moves share a row where the orders allow it. A decision that both players made is
marked wherever it occurs, because a copy may use another order. Undone moves are shown but not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from games.fairplay import copies
from games.fairplay.move_gaps import UNDO
from games.fairplay.play_decisions import decision, decisions
from games.rules import Record, Table

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """A token of a line. `bits` is the surprise of its decision, or 0 if it decides nothing."""

    n: int
    token: str
    ms: int
    undone: bool
    decides: bool
    common: bool
    bits: float


class AlignedPair(NamedTuple):
    """Two cells side by side; `same` if both are the same move."""

    left: Cell | None
    right: Cell | None
    same: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two lines side by side, with their similarity as judged for copies (`games.fairplay.copies`)."""

    rows: list[AlignedPair]
    likeness: float
    common_bits: float
    bits: tuple[float, float]

    @property
    def percent_alike(self) -> int:
        """Similarity in per cent."""
        return round(self.likeness * 100)

    @property
    def equal_moves(self) -> int:
        """Number of moves that are the same."""
        return sum(row.same for row in self.rows)

    @property
    def common_decisions(self) -> int:
        """Number of moves of the left line whose decisions both players made."""
        return sum(row.left is not None and row.left.common for row in self.rows)


class _Line(NamedTuple):
    """A record, the indexes of its tokens that were not undone, their comparison keys and decisions, and decision
    weights.
    """

    record: Record
    kept_indexes: list[int]
    keys: list[int | str]
    choices: dict[int, int]
    weights: Mapping[int, float]


def align(left: Record, right: Record) -> Alignment:
    """Align the lines of two records. Both records must replay."""
    first, second = _line(left), _line(right)
    common = set(first.choices.values()) & set(second.choices.values())
    cells = _cells(first, common), _cells(second, common)
    rows, at = list[AlignedPair](), (0, 0)
    for pair in [*_equal(first, second), (len(cells[0]), len(cells[1]))]:
        unmatched = zip_longest(cells[0][at[0] : pair[0]], cells[1][at[1] : pair[1]])
        rows += [AlignedPair(cell, other_cell, same=False) for cell, other_cell in unmatched]
        if pair[0] < len(cells[0]):
            rows.append(AlignedPair(cells[0][pair[0]], cells[1][pair[1]], same=True))
        at = pair[0] + 1, pair[1] + 1
    shared = first.weights.keys() & second.weights.keys()
    return Alignment(
        rows,
        copies.likeness(set(first.choices.values()), set(second.choices.values())),
        min(sum(line.weights[decided] for decided in shared) for line in (first, second)),
        (sum(first.weights.values()), sum(second.weights.values())),
    )


def _line(record: Record) -> _Line:
    kept_indexes: list[int] = []
    for n, token in enumerate(record.tokens):
        if token == UNDO:
            kept_indexes.pop()
        else:
            kept_indexes.append(n)
    moves = [record.tokens[n] for n in kept_indexes]
    line_decisions = decisions(record.open_table(), moves)
    decided = {n: choice for n, choice in zip(kept_indexes, line_decisions, strict=True) if choice is not None}
    return _Line(record, kept_indexes, _keys(record.open_table(), moves), decided, copies.weights(record.to_bytes()))


def _keys(table: Table, moves: Sequence[str]) -> list[int | str]:
    """Return the comparison key of each move: the card and the card under it, even if it moves back later; else the
    token.
    """
    keys = list[int | str]()
    for token in moves:
        choice = decision(table, token)
        keys.append(token if choice is None else choice)
        table.push(token)
    return keys


def _cells(line: _Line, common: set[int]) -> list[Cell]:
    not_undone, previous_ms, cells = set(line.kept_indexes), 0, list[Cell]()
    for n, (token, ms) in enumerate(zip(line.record.tokens, line.record.clock, strict=True)):
        choice = line.choices.get(n)
        bits = line.weights.get(choice, 0.0) if choice is not None else 0.0
        cells.append(
            Cell(n + 1, token, ms - previous_ms, n not in not_undone, choice is not None, choice in common, bits)
        )
        previous_ms = ms
    return cells


def _equal(first: _Line, second: _Line) -> Iterator[Pair]:
    """Yield the pairs of equal moves in order, as indexes among all tokens."""
    for block in SequenceMatcher(None, first.keys, second.keys).get_matching_blocks():
        for k in range(block.size):
            yield first.kept_indexes[block.a + k], second.kept_indexes[block.b + k]
