"""Proofs of puzzles: which moves win and which lose, with each loss proven twice.

A win is a line that the rules replay. The second proof of a loss comes from the exhaustive search where it ends, and
otherwise from the solver with another random stream and ten times the budget; simulated games then explain the loss.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from games.puzzles.exhaustive_search import Lost, prove_lost
from games.puzzles.losses.tried_games import Tried, try_games
from games.puzzles.puzzle import Losses, Puzzle, successors
from games.rules import Table, from_position
from games.solver import Budget, Effort, Result, Solution, Unwinnable, check_solution, solve

NODES: Final = 5_000
SECOND_NODES: Final = 10 * NODES
_SECOND_SEED: Final = 1
_MEMORY: Final = 128


@lru_cache(maxsize=1000)
def decide(position: str, nodes: int = NODES, seed: int = 0) -> Result:
    """Return the solver's verdict on a position, which may be won already."""
    table = from_position(position)
    if table.is_won:
        return Solution((), Effort(0, 0, 0.0))
    return solve(table, Budget(nodes=nodes, memory=_MEMORY), seed=seed)


def verdicts(table: Table) -> dict[str, Result]:
    """Return the verdict on each position that can be reached in one move."""
    return {position: decide(position) for position in successors(table)}


def only_winning(verdicts: dict[str, Result]) -> str | None:
    """Return the position that wins if all others are proven lost, else None."""
    winning = [position for position, verdict in verdicts.items() if isinstance(verdict, Solution)]
    lost = sum(isinstance(verdict, Unwinnable) for verdict in verdicts.values())
    return winning[0] if len(winning) == 1 and lost == len(verdicts) - 1 else None


def prove_again(puzzle: Puzzle) -> tuple[Losses, ...] | None:
    """Return the losing moves of each turn after a second proof of each; None if one fails.

    :raises TokensError: when the puzzle's line does not win.
    """
    check_solution(from_position(puzzle.start), (*puzzle.line, *puzzle.finish))
    losses = []
    for n in puzzle.turns:
        right = puzzle.table_at(n + 1).position()
        turn: dict[str, Lost | Tried | None] = {}
        for position, token in successors(puzzle.table_at(n)).items():
            if position == right:
                continue
            lost = prove_lost(position)
            if lost is None and not isinstance(decide(position, SECOND_NODES, _SECOND_SEED), Unwinnable):
                return None
            turn[token] = lost or try_games(position)
        losses.append(turn)
    return tuple(losses)
