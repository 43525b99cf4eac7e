"""The solver's errors."""

from __future__ import annotations


class SolverError(ValueError):
    """Base of the solver's errors, each with a stable ``code``."""

    code = "solver_error"


class BudgetError(SolverError):
    """A budget with too little, or too much, of something."""

    code = "bad_budget"


class AlreadyWonError(SolverError):
    """The table is won: there is nothing to solve."""

    code = "already_won"


class PositionNotReachableError(SolverError):
    """A position with a complete deck that no game can reach."""

    code = "position_not_reachable"


class TokensError(SolverError):
    """The tokens do not win from the given position."""

    code = "bad_tokens"


class FalseSolutionError(RuntimeError):
    """The rules refused a line that a search found: a bug in the solver."""
