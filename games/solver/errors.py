"""Errors of the solver."""

from __future__ import annotations


class SolverError(ValueError):
    """Base of the solver's errors, each with a stable ``code``."""

    code = "solver_error"


class BudgetError(SolverError):
    """A budget with a value that is too small or too large."""

    code = "bad_budget"


class AlreadyWonError(SolverError):
    """A table that is already won: there is nothing to solve."""

    code = "already_won"


class PositionNotReachableError(SolverError):
    """A position with a complete deck that no game can reach."""

    code = "position_not_reachable"


class TokensError(SolverError):
    """Tokens that do not win from the given position."""

    code = "bad_tokens"


class FalseSolutionError(RuntimeError):
    """A line found by a search but refused by the rules: a bug in the solver."""
