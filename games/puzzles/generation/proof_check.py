"""Repeated proof of a puzzle, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.puzzles.generation.proofs import SECOND_NODES, decide, prove_again
from games.puzzles.puzzle import Puzzle, successors
from games.rules import RulesError
from games.solver import Solution, TokensError


def check(contents: dict[str, Any]) -> Iterator[str]:
    """Yield the outcome of proving a puzzle again: "holds", "broken" if a losing move wins or the win fails, or
    "undecided" if the solver gave up.
    """
    puzzle = Puzzle.from_json(contents)
    try:
        proven = prove_again(puzzle)
    except (RulesError, TokensError):
        yield "broken"
        return
    yield "holds" if proven is not None else "broken" if _another_wins(puzzle) else "undecided"


def _another_wins(puzzle: Puzzle) -> bool:
    """Return whether a move other than the right one wins at some turn."""
    for n in puzzle.turns:
        others = set(successors(puzzle.table_at(n))) - {puzzle.table_at(n + 1).position()}
        if any(isinstance(decide(position, SECOND_NODES), Solution) for position in others):
            return True
    return False
