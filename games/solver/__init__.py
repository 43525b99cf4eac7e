"""Solver for all games: can a position be won, and by which line? It sees every card.

    result = solve(open_table("braid", seed), Budget(nodes=500_000))
    match result:
        case Solution(tokens=tokens): ... case Unwinnable(): ... case GaveUp(reason=reason): ...

The searches run compiled where Numba is installed, and in plain Python elsewhere, with the same results.
``TALON_NO_NUMBA=1`` in the environment turns Numba off. docs/winnability.md has the measured results.
"""

from games.solver.errors import (
    AlreadyWonError,
    BudgetError,
    FalseSolutionError,
    PositionNotReachableError,
    SolverError,
    TokensError,
)
from games.solver.quick_shortening import shorten
from games.solver.solver import Budget, Effort, GaveUp, Result, Solution, Unwinnable, check_solution, load, solve

__all__ = [
    "AlreadyWonError",
    "Budget",
    "BudgetError",
    "Effort",
    "FalseSolutionError",
    "GaveUp",
    "PositionNotReachableError",
    "Result",
    "Solution",
    "SolverError",
    "TokensError",
    "Unwinnable",
    "check_solution",
    "load",
    "shorten",
    "solve",
]
