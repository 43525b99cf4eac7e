"""Solver likeness: the share of a win's decisions that the solver would also have made.

A cheat can make one random move and run a solver again. The line then resembles no earlier game, but most of its
decisions are still the solver's, while people decide differently. The result is evidence for staff, not a verdict;
docs/staff.md, "Likeness to the solver", says how well it separates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from games.fairplay.copies import ALIKE
from games.fairplay.evaluation import Option, option, options
from games.fairplay.play_decisions import decisions
from games.manifests import VARIANTS
from games.rules import Record, Table, from_position
from games.solver import Budget, Solution, solve

#: Maximum decisions compared per game, evenly spread, and limits of the search from each.
POSITIONS: Final = 60
BUDGET: Final = Budget(nodes=5_000, memory=16)


@dataclass(frozen=True, slots=True)
class SolverLikeness:
    """Number of decisions for which the solver found a win from the same position, and how many that win contains."""

    count: int
    same: int

    @property
    def share(self) -> float:
        """The share of decisions in common with the solver, 0 to 1."""
        return self.same / self.count

    def z(self, variant: str) -> float:
        """Return the standard deviations by which the share is above people's in this variant."""
        typical = VARIANTS[variant].likeness
        assert typical is not None  # or it would not have been compared
        return (self.share - typical.people) / typical.spread


def compare_with_solver(record: Record) -> SolverLikeness | None:
    """Compare a win with the solver's own line from each position; None for a game that was not won, or without
    decisions. The result is deterministic.

    A decision counts as the same wherever it comes in the solver's line. Games without decisions are compared by their
    next moves.

    :raises RulesError: if the record does not replay.
    """
    table = record.open_table()
    for token in record.tokens:
        table.push(token)
    if not table.is_won:
        return None
    moves = table.moves
    choose: Callable[[Table, Sequence[str]], Sequence[object]] = _next_options if table.GAME in ALIKE else decisions
    choices = choose(record.open_table(), moves)
    compared = evenly(_open_choices(record.open_table(), moves, choices), POSITIONS)
    table, results = record.open_table(), list[bool]()
    for n, token in enumerate(moves):
        if n in compared and isinstance(found := solve(table, BUDGET), Solution):
            line = found.tokens[:1] if table.GAME in ALIKE else found.tokens
            results.append(choices[n] in choose(from_position(table.position()), line))
        table.push(token)
    return SolverLikeness(len(results), sum(results)) if results else None


def _next_options(table: Table, tokens: Sequence[str]) -> list[Option]:
    """Return the option of each token. Changes the table."""
    results = []
    for token in tokens:
        results.append(option(table, token))
        table.push(token)
    return results


def _open_choices(table: Table, moves: Sequence[str], choices: Sequence[object]) -> list[int]:
    """Return the numbers of the moves that chose among several options. Changes the table."""
    numbers = []
    for n, (token, choice) in enumerate(zip(moves, choices, strict=True)):
        if choice is not None and len(options(table)) > 1:
            numbers.append(n)
        table.push(token)
    return numbers


def evenly(numbers: Sequence[int], limit: int) -> set[int]:
    """Return at most `limit` of the numbers, evenly spread."""
    count = min(len(numbers), limit)
    return {numbers[n * len(numbers) // count] for n in range(count)}
